"""Every error that Scorelens raises on purpose.

A message says the value seen, the value expected and the next step. Pages show it as text, the
command line prints it and leaves with the class's exit code; neither shows a traceback.

EngineError
├── UsageError          a name or value that does not exist            exit 2
├── SourceError         a source that cannot be read at all            exit 3
├── StoreError          a snapshot that cannot be opened or built      exit 4
│   └── SnapshotMissing     no snapshot was ever published, or a pinned one is gone
├── CheckFailed         store and files disagree                       exit 5
├── NetworkUnavailable  a download that cannot start or finish         exit 6
├── WeightsError        bundled weights missing or not the pinned ones exit 7
├── RunFailed           one run of a sweep; the sweep goes on          exit 8
├── Busy                another engine process holds the data folder   exit 9
├── ModelUnavailable    a model that cannot be found or loaded here    exit 10
└── TaskUnavailable     a task whose data cannot be found or read here exit 11
"""

import errno
from collections.abc import Iterable
from difflib import get_close_matches

_NAMES_SHOWN = 12
_DISK_REFUSES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


class EngineError(Exception):
    """Base of all; `exit_code` is what the command line leaves with."""

    exit_code = 1


class UsageError(EngineError):
    """A name or value that does not exist, with the ones that do."""

    exit_code = 2


class SourceError(EngineError):
    """A source that cannot be read at all."""

    exit_code = 3


class StoreError(EngineError):
    """A snapshot that cannot be opened or built."""

    exit_code = 4


class SnapshotMissing(StoreError):
    """No snapshot was published yet, or the pinned one is gone."""


class CheckFailed(EngineError):
    """Store and files disagree, or a rule of the schema is broken."""

    exit_code = 5


class NetworkUnavailable(EngineError):
    """A download that cannot start or finish."""

    exit_code = 6


class WeightsError(EngineError):
    """Bundled weights that are missing or are not the pinned ones."""

    exit_code = 7


class RunFailed(EngineError):
    """One run of a sweep failed; the sweep goes on."""

    exit_code = 8


class Busy(EngineError):
    """Another engine process is writing to the same data folder."""

    exit_code = 9


class ModelUnavailable(EngineError):
    """A model that cannot be found or loaded on this machine; the rest of a sweep goes on."""

    exit_code = 10


class TaskUnavailable(EngineError):
    """A task whose data cannot be found or read on this machine; the rest of a sweep goes on."""

    exit_code = 11


def cause_of(error: BaseException) -> str:
    """An error in words: our own as they are, others with their kind."""
    return str(error) if isinstance(error, EngineError) else f"{type(error).__name__}: {error}"


def cause_in_one_line(error: BaseException) -> str:
    """The same on one line."""
    return " ".join(cause_of(error).split())


def is_of_disk(error: OSError) -> bool:
    """Whether a disk refused to be written to: it is full, or not ours."""
    return error.errno in _DISK_REFUSES


def names_like(name: str, known: Iterable[str]) -> str:
    """Known names to offer in place of one that does not exist: those most like it, or the first of all."""
    names = list(known)
    if len(names) <= _NAMES_SHOWN:
        return ", ".join(names) or "none"
    folded = {each.casefold(): each for each in names}
    near = [folded[each] for each in get_close_matches(name.casefold(), folded, _NAMES_SHOWN, cutoff=0.5)]
    near += [each for each in names if name and name.casefold() in each.casefold() and each not in near]
    shown = (near or names)[:_NAMES_SHOWN]
    return f"{', '.join(shown)} and {len(names) - len(shown)} others"
