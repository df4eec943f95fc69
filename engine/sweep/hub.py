"""Why a model or a data set cannot be had from the hub, in one line with the next step: told alike for both."""

from __future__ import annotations

CONSENT = "its owner asks for consent first. Agree on its page on the hub, and log in with `hf auth login`."
OUT_OF_REACH = "it is not on this machine, and the hub cannot be reached. Go online once, or copy the hub's cache here."
UNKNOWN = "the hub has none of that name, or keeps it private. Check the name, or log in with `hf auth login`."

_REASONS = (
    (CONSENT, {"GatedRepoError"}),
    (OUT_OF_REACH, {"ConnectionError", "LocalEntryNotFoundError", "OfflineModeIsEnabled", "TransportError"}),
    (UNKNOWN, {"RepositoryNotFoundError", "DatasetNotFoundError"}),
)
"""By class names: the hub's client is one library or its successor, and data sets are loaded by another one."""


def why_not_to_be_had(error: BaseException) -> str | None:
    """What the hub or the network had against it, as an error and its causes say; None = something else is wrong."""
    kinds = {base.__name__ for each in _causes(error) for base in type(each).__mro__}
    if "gated" in str(error):
        return CONSENT
    return next((reason for reason, names in _REASONS if names & kinds), None)


def _causes(error: BaseException | None) -> list[BaseException]:
    causes: list[BaseException] = []
    while error is not None and error not in causes:
        causes.append(error)
        error = error.__cause__ or error.__context__
    return causes
