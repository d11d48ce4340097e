"""A plain text whose titles are told by how it is set is cut at them."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.loading import load
from knowledge.loading.margins import with_headings as by_margins
from knowledge.loading.markdown import read_text
from knowledge.loading.underlined import with_headings as by_rules

UNDERLINED = """\
=================
Club organisation
=================

Principles
==========

The club is run by volunteers.

Committee
=========

Membership
----------

Five members are elected each spring.

Powers
~~~~~~

The committee may close the hall at short notice, and it tells
the members of it.

Money
=====

The treasurer keeps the books.
"""
MANUAL = """\
printd.conf(5)                    Printing                    printd.conf(5)

NAME
       printd.conf - configuration of the print server

DESCRIPTION
       The  file  configures the print server.  Each line holds a directive, a
       blank line, or a comm\u2010
       ent.

   TOP-LEVEL DIRECTIVES
       The following directives are understood by the print server and by it a\u2010
       lone:

       Browsing Yes

       Browsing No
\t    Specifies whether shared printers are advertised to  the  network.
\t    The default is "No".

       MaxCopies number
\t    Specifies the maximum number of copies that a user can print  of  each
\t    job.  The default is "9999".

       -c i=N, -c interval=N
\t    [NEW] Sets the interval between two checks of the disk to N seconds.

       # comment
\t    A line that begins so is passed over by the server at all times.

       o      0 - Success, which is what it returns where nothing is wrong

       o      23 - Partial transfer, which is what it returns on an error

SEE ALSO
       printd(8)

1.0                              2026-01-01                  printd.conf(5)
"""
SAVED = """\
Closing reports

   A report is closed when the problem is fixed and the fix has been in
   the archive for a day or two, as a rule.

Severity levels

   The severity is normal unless the reporter says so. The levels are:

   critical
          makes unrelated software break, or causes serious data loss.

   wishlist
          for any feature request, and for what is difficult to fix.

Owners

   An owner is responsible for fixing the report, and the owner alone.
"""


def paths(folder: Path, text: str) -> list[str]:
    (folder / "a.txt").write_text(text)
    (document,) = load([folder]).documents
    return [str(one.metadata["heading_path"]) for one in chunk(document, ChunkingDefaults())]


def test_underlined_titles_are_headings_by_the_order_of_their_signs(tmp_path: Path) -> None:
    assert paths(tmp_path, UNDERLINED) == [
        "Club organisation > Principles",
        "Club organisation > Committee > Membership",
        "Club organisation > Committee > Membership > Powers",
        "Club organisation > Money",
    ]


def test_the_first_of_several_parts_is_no_title(tmp_path: Path) -> None:
    assert paths(tmp_path, UNDERLINED.split("\n\n", 1)[1])[0] == "a > Principles"


def test_what_stands_under_waves_is_no_code(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(UNDERLINED)
    (document,) = load([tmp_path]).documents
    assert "~~~" not in document.text and "at short notice, and it tells\nthe members" in document.text


@pytest.mark.parametrize(
    "text",
    [
        "One line.\n\nSigned,\n\nThe board\n---------\n\nMore.",  # one alone
        "Name      Fee\n-------------\nx 1\n\nPlace     Fee\n-------------\ny 2\n",  # columns
        "All of it ends.\n---------------\n\nSo does this one.\n-----------------\n",
        "- an item\n---------\n\n- an item\n---------\n",
        "# Marked\n\nTitle\n=====\n\nOther\n=====\n",
        "A\n----------------------------------------\n\nB\n----------------------------------------\n",
    ],
)
def test_rows_of_signs_that_underline_no_title(text: str) -> None:
    assert by_rules(text) is None


def test_a_manual_page_is_cut_at_its_titles_and_named_by_its_head(tmp_path: Path) -> None:
    assert list(dict.fromkeys(paths(tmp_path, MANUAL))) == [
        "printd.conf(5) > NAME",
        "printd.conf(5) > DESCRIPTION",
        "printd.conf(5) > DESCRIPTION > TOP-LEVEL DIRECTIVES",
        "printd.conf(5) > SEE ALSO",
    ]


def test_a_term_and_its_definition_are_one_paragraph_and_words_are_whole() -> None:
    text = read_text(MANUAL.encode()).text
    assert "Browsing Yes, Browsing No: Specifies whether shared printers" in text
    assert "MaxCopies number: Specifies the maximum number" in text
    assert "-c i=N, -c interval=N: [NEW] Sets the interval" in text
    assert "a blank line, or a comment." in " ".join(text.split()) and "by it alone:" in text
    assert "- " in text and "o      23" not in text


def test_a_page_that_a_browser_saved_as_text_is_cut_at_its_margin(tmp_path: Path) -> None:
    assert paths(tmp_path, SAVED) == [
        "a > Closing reports",
        "a > Severity levels",
        "a > Owners",
    ]
    assert "critical: makes unrelated software break" in read_text(SAVED.encode()).text


@pytest.mark.parametrize(
    "text",
    [
        "Dear Sir\n\n  thank you.\n\nAll of us wrote\nto you before\nand to him\n  as well\n\nMore\n\n  text\n\nYours\n\n  A\n",
        "1. Scope\n\n   All staff are meant.\n\n2. Leave\n\n   They have 20 days.\n\n3. Sickness\n\n   Report it at once.\n",
        "import x\n\nIf\n    a line of code\n\nElse\n    another line of it\n",
    ],
)
def test_margins_that_tell_no_titles(text: str) -> None:
    assert by_margins(text) is None


def test_a_hanging_paragraph_is_no_term() -> None:
    full = "Smith, J., A long treatise on the printing of forms in offices"
    lines = [f"   {full}\n      and elsewhere in the world, second edition of it.\n" for _ in range(9)]
    found = by_margins("Books\n\n" + "\n".join(lines) + "\nMore\n\n   It goes on.\n\nLast\n\n   It ends.\n")
    assert found is not None and "offices:" not in found[0]
