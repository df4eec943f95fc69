"""A study: what to run, written down so that it can be committed, locked, resumed and redone by someone else.

    name = "prompts-on-faq"
    models = ["intfloat/multilingual-e5-small", "Qwen/Qwen3-Embedding-0.6B@c54f2e6e80b2"]
    tasks = ["STS14", "data/faq"]
    prompts = ["demo"]
    seed = 42

A TOML file on disk, the same fields as JSON in a request. `name@revision` is short for
`{name = "…", revision = "…"}`; a path that begins with `.`, `/` or `~` is never cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import UsageError

SEED = 42
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AT_REVISION = re.compile(r"(?![./~])(?P<name>[^@]+)@(?P<revision>[^@/\s]+)")
_FIELD = re.compile(r"at `\$\.(\w+)")
_DEVICE = re.compile(r"auto|cpu|all|cuda(:\d+)?")
DTYPES = ("auto", "float32", "bfloat16", "float16")


class ModelEntry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One model of a study."""

    name: str
    """bundled name, mteb's name, folder, or name on the hub"""
    revision: str | None = None
    trust_remote_code: bool = False

    @property
    def words(self) -> str:
        """The entry as a form and a command line take it."""
        return f"{self.name}@{self.revision}" if self.revision else self.name


class Study(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Models × tasks × (default settings and each prompt for the task)."""

    name: str
    """its source and folder are named after it"""
    models: tuple[ModelEntry, ...]
    tasks: tuple[str, ...]
    """names of mteb's tasks or of the demo's, or paths to files of one's own; `demo` = all of the demo's"""
    prompts: tuple[str, ...] = ()
    """names of prompt sets, or paths to prompt files; none = default settings alone"""
    seed: int = SEED
    limit: int | None = None
    """at most so many texts or queries a row, drawn by seed; None = all"""
    device: str = "auto"
    """auto, cpu, cuda, cuda:1, all"""
    dtype: str = "auto"

    @property
    def source_name(self) -> str:
        """Name of its source and of its folder under `results/sweeps`.

        A limited study has a source of its own, so that its results neither replace nor join those of whole tasks.
        """
        return self.name if self.limit is None else f"{self.name}-limit{self.limit}"

    @property
    def file_text(self) -> str:
        """The study as a TOML file."""
        fields = dict(msgspec.to_builtins(self))
        fields["models"] = [each["name"] if each.keys() == {"name"} else each for each in fields["models"]]
        return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items())


def make_study(fields: Mapping[str, Any]) -> Study:
    """The study with these fields; a model may be a name alone.

    Raises:
        UsageError: A field is missing, unknown, or holds what it cannot.
    """
    if not isinstance(fields, Mapping):
        raise UsageError(f"The study is {fields!r}; expected its fields, such as name, models and tasks.")
    known = set(Study.__struct_fields__)
    if unknown := set(fields) - known:
        raise UsageError(f"A study has no {', '.join(sorted(unknown))}; expected {', '.join(sorted(known))}.")
    models = fields.get("models")
    if isinstance(models, Sequence) and not isinstance(models, str):
        fields = {**fields, "models": [_entry(each) if isinstance(each, str) else each for each in models]}
    try:
        study = msgspec.convert(dict(fields), Study)
    except msgspec.ValidationError as error:
        at = _FIELD.search(str(error))
        seen = f"; {at[1]} is {fields.get(at[1])!r}" if at else ""
        raise UsageError(
            f"The study cannot be read ({str(error).replace('`$.', '`')}{seen}); expected fields such as "
            'name = "faq", models = ["org/model@revision"], tasks = ["STS14"], limit = 100.'
        ) from error
    _check(study)
    return study


def _entry(words: str) -> dict[str, str]:
    """The fields of a model that is given by its words alone."""
    at_revision = _AT_REVISION.fullmatch(words)
    return at_revision.groupdict() if at_revision else {"name": words}


def parse_study(content: bytes, file_name: str) -> Study:
    """The study in the content of a TOML file; the file's name stands in for one that it does not give.

    Raises:
        UsageError: It is not a study; the message names line and column, or the field.
    """
    try:
        fields = msgspec.toml.decode(content)
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        raise UsageError(f"{file_name} cannot be read as a study ({error}); expected a TOML file.") from error
    return make_study({"name": Path(file_name).stem, **fields})


def read_study(path: Path) -> Study:
    """The study in a TOML file; paths of tasks and prompts in it are relative to the file.

    Raises:
        UsageError: There is no such file, or it is not a study.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read as a study ({error}); expected a TOML file.") from error
    study = parse_study(content, str(path))
    return msgspec.structs.replace(
        study,
        models=tuple(msgspec.structs.replace(each, name=_beside(path, each.name)) for each in study.models),
        tasks=tuple(_beside(path, each) for each in study.tasks),
        prompts=tuple(_beside(path, each) for each in study.prompts),
    )


def _beside(path: Path, name: str) -> str:
    """A name, or the whole path where it names something that lies beside the study's file."""
    there = path.parent / name
    return str(there.resolve()) if ("/" in name or "." in name) and is_there(there) else name


def is_there(path: Path) -> bool:
    """There is such a file or folder; a text that is too long to be a path, such as a prompt, is none."""
    try:
        return path.exists()
    except OSError:
        return False


def _check(study: Study) -> None:
    names = {model.name for model in study.models}
    repeated = sorted(name for name in names if sum(model.name == name for model in study.models) > 1)
    problems = [
        (not _NAME.fullmatch(study.name), f"name is {study.name!r}; expected letters, digits, dots and dashes"),
        (not study.models, "it names no model; expected at least one"),
        (len(names) < len(study.models), f"it names {', '.join(repeated)} twice; expected each model once"),
        (not study.tasks, "it names no task; expected at least one"),
        (not all(map(str.strip, (*names, *study.tasks, *study.prompts))), "it names one that is empty; leave that out"),
        (study.seed < 0, f"seed is {study.seed}; expected 0 or more"),
        (study.limit is not None and study.limit < 1, f"limit is {study.limit}; expected 1 or more"),
        (not _DEVICE.fullmatch(study.device), f"device is {study.device!r}; expected auto, cpu, cuda, cuda:1 or all"),
        (study.dtype not in DTYPES, f"dtype is {study.dtype!r}; expected {', '.join(DTYPES)}"),
    ]
    found = [words for is_wrong, words in problems if is_wrong]
    if found:
        raise UsageError(f"The study cannot run: {'; '.join(found)}. Correct it.")


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {_toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return msgspec.json.encode(value).decode("utf-8")
