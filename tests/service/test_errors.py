"""What a caller is told of a failure behind the service: what to do, and nothing of the inside."""

from __future__ import annotations

import pytest

from knowledge.errors import BadQuestion, IndexMissing, IndexUnavailable, ModelUnavailable, PolicyDeskError
from service.errors import body_of

OWN_WORDS = "the service's log says why."
TOLD: list[tuple[PolicyDeskError, str]] = [
    (
        ModelUnavailable(
            "The model gpt at http://10.0.0.7:11434 failed: ResponseError: Bad key sk-abc of org-7 in: Refund"
        ),
        f"The model gpt failed; {OWN_WORDS}",
    ),
    (
        ModelUnavailable(
            "The model llama at http://10.0.0.7:11434 did not answer within 3 seconds; use a smaller model."
        ),
        "The model llama did not answer within 3 seconds; use a smaller model.",
    ),
    (
        ModelUnavailable("The model llama can't be reached at http://ollama.inner; start it with: ollama serve"),
        "The model llama can't be reached; start it with: ollama serve",
    ),
    (
        ModelUnavailable("/srv/models/e5 can't be loaded as an embedding model: [Errno 2] /srv/models/e5/x"),
        f"… can't be loaded as an embedding model; {OWN_WORDS}",
    ),
    (
        IndexUnavailable("The index folder /srv/tenants/zeta/index can't be opened: WouldBlock\n at shard.rs:7"),
        f"The index folder … can't be opened; {OWN_WORDS}",
    ),
    (
        IndexUnavailable("Index version 'v1' is unreadable: /srv/zeta/v1/version.json is damaged. Delete its folder."),
        "Index version 'v1' is unreadable: … is damaged. Delete its folder.",
    ),
    (
        IndexUnavailable("The Qdrant server refuses the key: check QDRANT_API_KEY."),
        "The Qdrant server refuses the key: check QDRANT_API_KEY.",
    ),
    (
        IndexMissing("Nothing is indexed yet: run `policydesk ingest PATH`."),
        "Nothing is indexed yet: run `policydesk ingest PATH`.",
    ),
]


@pytest.mark.parametrize(("error", "told"), TOLD, ids=lambda given: str(given)[:30])
def test_a_failure_tells_nothing_of_the_inside(error: PolicyDeskError, told: str) -> None:
    assert body_of(error)["error"]["message"] == told


def test_what_the_caller_wrote_is_told_back() -> None:
    said = "Unknown category '/hr/leave failed: x'; the documents have: general."
    assert body_of(BadQuestion(said, field="category"))["error"]["message"] == said
