"""What a reference says of an option is quoted with the option that it says it of."""

from __future__ import annotations

from nodes.term_entries import names_in, needs_term, term_of
from tests.nodes.kartly_passages import passage
from tests.nodes.test_extracting import quoted

OPTIONS = (
    "MaxJobs number: Specifies the most jobs that are allowed at a time. The default is 500.\n\n"
    "MaxCopies number: Specifies the most copies of a job that a user can print. The default is 9999.\n\n"
    "AllowExpired Yes, AllowExpired No: Specifies whether expired certificates are allowed. The default is No."
)


async def test_an_option_asked_for_by_name_brings_its_whole_entry() -> None:
    answer = await quoted("MaxCopies", passage(OPTIONS, title="printd.conf"))
    assert "MaxCopies number: Specifies the most copies of a job that a user can print. [S1]" in answer
    assert "9999" in answer and "500" not in answer


async def test_the_default_of_an_option_is_told_with_the_option() -> None:
    answer = await quoted("What is the default of AllowExpired?", passage(OPTIONS, title="printd.conf"))
    assert "AllowExpired No: Specifies" in answer and "The default is No. [S1]" in answer and "9999" not in answer


async def test_a_default_comes_where_one_is_asked_for_in_other_words() -> None:
    answer = await quoted("Are expired certificates allowed by default?", passage(OPTIONS, title="printd.conf"))
    assert answer.index("whether expired certificates") < answer.index("The default is No.")


async def test_a_question_about_more_than_the_entry_is_not_answered_by_it_alone() -> None:
    body = "pg_backup: Copies a cluster.\n\nIt is not possible to copy a single database of the cluster with it."
    answer = await quoted("Can I copy a single database with pg_backup?", passage(body, title="Backups"))
    assert "not possible" in answer


async def test_the_rest_of_an_entry_that_a_cut_parted_from_its_term_is_not_quoted() -> None:
    cut = "The default is 500.\n\n" + OPTIONS.split("\n\n", 1)[1]
    answer = await quoted("What is the default number of copies?", passage(cut, title="printd.conf"))
    assert "9999" in answer and "500" not in answer


def test_what_an_entry_is() -> None:
    assert term_of("MaxCopies number: Specifies the most copies.") == "MaxCopies number"
    assert term_of("**fee**: what is paid") == "fee"
    assert not term_of("The shop opens at 10:30 each day.")
    assert not term_of("| a: b |") and not term_of("We close early:")
    assert needs_term("The default is 5.") and not needs_term("Jobs are kept.")
    assert names_in("Is job-quota-period or autovacuum_naptime like MaxCopies of iOS?") == {
        "job-quota-period",
        "autovacuum_naptime",
        "maxcopies",
    }
