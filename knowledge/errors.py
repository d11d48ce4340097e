"""The errors a user can meet, each with a sentence that says what is wrong and what to do.

The doors (CLI, HTTP, LangServe) map these classes to exit codes and HTTP codes in one place, so code below
them raises and never formats.
"""

from __future__ import annotations


class PolicyDeskError(RuntimeError):
    """Base of every error that is meant for the user's eyes. ``code`` is stable, for programs.

    A ``RuntimeError``, because the LangGraph server shows callers the words of the built-in kinds alone, and of any other error
    only that it was an internal one.
    """

    code = "failure"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class BadQuestion(PolicyDeskError):
    """The question or one of its options can't be used as given."""

    code = "bad_question"


class BadInput(PolicyDeskError):
    """A file, manifest or setting can't be used as given."""

    code = "bad_input"


class Forbidden(PolicyDeskError):
    """The caller may not see what was asked for, or did not say who is asking."""

    code = "forbidden"


class IndexMissing(PolicyDeskError):
    """There is no index to search yet."""

    code = "index_missing"


class IndexMismatch(PolicyDeskError):
    """The index was built with another embedding model or layout than the one in use."""

    code = "index_mismatch"


class IndexBusy(PolicyDeskError):
    """Another ingest holds the write lock."""

    code = "index_busy"


class IndexUnavailable(PolicyDeskError):
    """The store that holds the index does not answer."""

    code = "index_unavailable"


class ModelUnavailable(PolicyDeskError):
    """A model is missing, unreachable or did not answer in time."""

    code = "model_unavailable"


class RerankerUnavailable(ModelUnavailable):
    """The reranker named can't be used on this machine."""

    code = "reranker_unavailable"
