"""The registry of sources: which folders and files the store is made from.

A source is registered by path and never copied. Paths inside the data folder are kept relative to
it, so that the folder can move as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.atomic import write_atomically
from engine.errors import SourceError, UsageError, names_like
from engine.ingest.frames import scan_frame
from engine.ingest.prompts import read_prompt_file
from engine.lock import engine_lock
from engine.schema import TASKS, SourceKind
from engine.settings import Settings

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Source:
    """One registered folder in MTEB's cache layout, or one Parquet file with mteb's frame."""

    name: str
    path: Path
    kind: SourceKind
    prompts: Path | None = None
    """Prompt file that says more about the prompts of this source: kinds, authors."""


def read_sources(settings: Settings) -> tuple[Source, ...]:
    """The registered sources, by name; none where nothing was registered yet.

    Raises:
        SourceError: The registry is not what `engine add` writes.
    """
    file = settings.sources_file
    if not file.exists():
        return ()
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        sources = [_parse_entry(settings, entry) for entry in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(
            f"{file} holds {error!r}; expected a list of name, path, kind and prompts. "
            "Repair it, or remove it and run `python -m engine add` again for each source."
        ) from error
    return tuple(sorted(sources, key=lambda source: source.name))


def source_named(settings: Settings, name: str) -> Source:
    """The registered source of that name.

    Raises:
        UsageError: There is none; the message lists near names.
    """
    sources = {source.name: source for source in read_sources(settings)}
    if name not in sources:
        raise UsageError(f"No source {name!r}; registered: {names_like(name, sources)}.")
    return sources[name]


def add_source(settings: Settings, path: Path, name: str, prompts: Path | None = None) -> Source:
    """Register a folder or file under a name; a name that exists is pointed to the new path.

    Raises:
        UsageError: The name has other characters than letters, digits, dot, dash and underscore.
        SourceError: The path is not a cache tree, a results repository, or mteb's frame, or the prompt file
            cannot be read.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"Source name {name!r}; expected 1 to 64 letters, digits, dots, dashes or underscores, "
            "starting with a letter or digit."
        )
    if prompts is not None:
        _check_prompts(prompts)
    root, kind = detect_kind(path.expanduser().resolve())
    source = Source(name, root, kind, prompts.resolve() if prompts else None)
    with engine_lock(settings):
        others = [each for each in read_sources(settings) if each.name != name]
        write_sources(settings, [*others, source])
    return source


def remove_source(settings: Settings, name: str) -> Source:
    """Take a source out of the registry; its files stay, its rows leave with the next build.

    Raises:
        UsageError: There is no such source.
    """
    with engine_lock(settings):
        gone = source_named(settings, name)
        write_sources(settings, [each for each in read_sources(settings) if each.name != name])
    return gone


def write_sources(settings: Settings, sources: Iterable[Source]) -> None:
    """Make these sources the registry of a data folder."""
    entries = [
        {
            "name": source.name,
            "path": _portable(settings, source.path),
            "kind": source.kind.value,
            "prompts": _portable(settings, source.prompts) if source.prompts else None,
        }
        for source in sorted(sources, key=lambda each: each.name)
    ]
    write_atomically(settings.sources_file, json.dumps(entries, indent=2, ensure_ascii=False) + "\n")


def source_problems(source: Source) -> dict[str, str]:
    """What stands in the way of reading a source, by path of its folder or prompt file; empty when nothing does.

    The paths are those of the registry, so none of them is the path of a result inside a source.
    """
    problems = {}
    try:
        kind = detect_kind(source.path)[1]
        if kind is not source.kind:
            raise SourceError(f"{source.path} is {kind.value} now; expected {source.kind.value}.")
    except SourceError as error:
        problems[str(source.path)] = (
            f"{error} What the store holds of it stays as it is. Bring it back and build, point the name elsewhere "
            f"with `python -m engine add`, or let it go with `python -m engine remove {source.name}`."
        )
    try:
        if source.prompts:
            _check_prompts(source.prompts)
    except SourceError as error:
        problems[str(source.prompts)] = str(error)
    return problems


def detect_kind(path: Path) -> tuple[Path, SourceKind]:
    """The folder or file to register, and how it is laid out.

    Raises:
        SourceError: It is neither; the message says what was looked for.
    """
    if path.is_file():
        scan_frame(path)
        return path, SourceKind.FRAME
    if path.name == "results" and path.is_dir():
        path = path.parent
    if path.name == "remote" and (path / "results").is_dir():
        path = path.parent
    if _is_cache(path):
        return path, SourceKind.CACHE
    below = [each for each in sorted(path.glob("*")) if each.is_dir() and _is_cache(each)] if path.is_dir() else []
    hint = f" Did you mean {below[0]}?" if below else ""
    raise SourceError(
        f"{path} {'holds no results' if path.exists() else 'does not exist'}; expected a folder with `results/` or "
        f"`remote/results/` in it (an MTEB cache, or the results repository), or mteb's frame as a .parquet file.{hint}"
    )


def _is_cache(path: Path) -> bool:
    return (path / "results").is_dir() or (path / "remote" / "results").is_dir()


def _check_prompts(path: Path) -> None:
    if not path.is_file():
        raise SourceError(f"Prompt file {path} is not a file; expected JSON lines of prompts.")
    read_prompt_file(path, TASKS.schema.to_frame())


def _parse_entry(settings: Settings, entry: dict[str, str | None]) -> Source:
    prompts = entry.get("prompts")
    source = Source(str(entry["name"]), Path(str(entry["path"])), SourceKind(str(entry["kind"])))
    source = replace(source, path=settings.data / source.path)
    return replace(source, prompts=settings.data / prompts if prompts else None)


def _portable(settings: Settings, path: Path) -> str:
    return str(path.relative_to(settings.data)) if path.is_relative_to(settings.data) else str(path)
