"""The lock of a study: what its names stood for when it first ran, so that somebody else runs the same or is told.

`prompts-on-faq.toml` is locked by `prompts-on-faq.lock.json` beside it. Entries that were added since, or could not be
had then, are pinned when they are first resolved; one that has become something else is refused, with the difference.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.atomic import write_atomically
from engine.errors import UsageError
from engine.study.resolve import Resolved
from engine.sweep.runner import versions


class Pins(msgspec.Struct, frozen=True):
    """What the names of a study stood for."""

    models: dict[str, str] = {}
    """revisions by name"""
    tasks: dict[str, str] = {}
    """revisions of the data by name"""
    prompts: dict[str, list[str]] = {}
    """ids of the prompts of each set, sorted"""
    seed: int | None = None
    limit: int | None = None
    versions: dict[str, str | None] = {}
    """of the packages that make the numbers: told, not enforced"""


def lock_path(study_file: Path) -> Path:
    """Where the lock of a study file lies: beside it."""
    return study_file.with_suffix(".lock.json")


def read_pins(path: Path) -> Pins:
    """The lock in a file; an empty one where there is none yet.

    Raises:
        UsageError: The file is something else.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Pins)
    except FileNotFoundError:
        return Pins()
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{path} is not a study's lock ({error}); restore it, or run with --relock.") from error


def pins_of(resolved: Resolved) -> Pins:
    """What the names of a study stand for now."""
    return Pins(
        models={name: model.revision for name, model in resolved.models.items()},
        tasks={name: task.dataset_revision for name, task in resolved.tasks.items()},
        prompts={name: sorted({each.prompt_id for each in texts}) for name, texts in resolved.prompts.items()},
        seed=resolved.study.seed,
        limit=resolved.study.limit,
        versions=versions(),
    )


def differences(locked: Pins, now: Pins) -> list[str]:
    """What of a locked study is something else now, one line each; what is new in it is no difference."""
    lines = []
    for what, then, found in (("model", locked.models, now.models), ("task", locked.tasks, now.tasks)):
        lines += [
            f"{what} {name}: revision {found[name]}, locked {revision}"
            for name, revision in then.items()
            if name in found and found[name] != revision
        ]
    for name, ids in locked.prompts.items():
        more, gone = set(now.prompts.get(name, ids)) - set(ids), set(ids) - set(now.prompts.get(name, ids))
        if more or gone:
            lines.append(f"prompt set {name}: {len(more)} prompts more and {len(gone)} fewer than locked")
    if locked.seed is not None and locked.seed != now.seed:
        lines.append(f"seed: {now.seed}, locked {locked.seed}")
    if locked.seed is not None and locked.limit != now.limit:
        lines.append(f"limit: {now.limit}, locked {locked.limit}")
    return lines


def keep_pins(path: Path, resolved: Resolved, *, relock: bool) -> list[str]:
    """Hold a study to its lock, and add to the lock what is new; lines about packages of other versions come back.

    Raises:
        UsageError: The study stands for something else than it did; the message names each difference.
    """
    locked, now = Pins() if relock else read_pins(path), pins_of(resolved)
    found = differences(locked, now)
    if found:
        raise UsageError(
            f"The study is not what {path} locked: {'; '.join(found)}. "
            "Restore what was locked, or give --relock to run it as it is now."
        )
    kept = Pins(
        {**now.models, **locked.models},
        {**now.tasks, **locked.tasks},
        {**now.prompts, **locked.prompts},
        now.seed,
        now.limit,
        locked.versions or now.versions,
    )
    if kept != locked:
        write_atomically(path, msgspec.json.format(msgspec.json.encode(kept), indent=1).decode("utf-8") + "\n")
    return [
        f"{package} is {now.versions.get(package)}, locked with {version}: scores may differ in the last digits."
        for package, version in kept.versions.items()
        if now.versions.get(package) != version
    ]
