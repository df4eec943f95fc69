"""What a sweep can be made of, and what one would do: its prompts, its study file, its preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from engine import inbox
from engine.errors import UsageError
from engine.inbox import Request, RequestKind
from engine.study.board import PreviewAnswer, from_json
from engine.study.file import SEED, Study, make_study, parse_study
from engine.study.resolve import prompt_sets
from engine.sweep.prompt_twins import twin_prompts
from engine.sweep.prompting import Prompt, read_prompts
from ui.reads.snapshots import answered, settings, shown_snapshot_id

USUAL_SEED = SEED
BUNDLED = "demo"
"""Stands for all bundled models, all of the demo's tasks, and its prompts."""
BUNDLED_MODELS = ("all-MiniLM-L6-v2", "multilingual-e5-small-q4", "universal-sentence-encoder-multilingual-v3")
_NAMES = {
    "model": "SELECT model_name FROM models ORDER BY model_name IN (SELECT model_name FROM runs) DESC, 1",
    "task": "SELECT task_name FROM tasks WHERE list_contains(modalities, 'text') OR modalities IS NULL ORDER BY "
    "task_name IN (SELECT task_name FROM runs) DESC, 1",
}


def known_models() -> list[str]:
    """Models to offer: the bundled ones, then those with results, then all that mteb registers."""
    return list(dict.fromkeys((BUNDLED, *BUNDLED_MODELS, *_known("model"))))


def known_tasks() -> list[str]:
    """Tasks to offer: the demo's, then those with results, then all that mteb registers."""
    return list(dict.fromkeys((BUNDLED, *_known("task"))))


def _known(what: str) -> list[str]:
    if shown_snapshot_id() is None:
        return []
    names: list[str] = answered(f"known {what}s", "", lambda here: here.read(_NAMES[what]).to_series().to_list())
    return [name for name in names if not name.startswith("scorelens-demo/")]


def known_prompt_sets() -> list[str]:
    """Names of the prompt files."""
    return list(prompt_sets(settings()))


def is_path(name: str) -> bool:
    """A prompt set is meant by the path of its file: the engine reads it, where the path means something."""
    return "/" in name or name.endswith((".jsonl", ".json"))


def prompts_of(sets: Sequence[str]) -> tuple[Prompt, ...]:
    """The prompts of some files.

    Raises:
        UsageError: A file is not there or cannot be read.
    """
    known = prompt_sets(settings())
    for name in sets:
        if name not in known:
            raise UsageError(f"No prompt set {name!r}; there are {', '.join(known) or 'none'}.")
    return tuple(prompt for name in sets for prompt in read_prompts(known[name]))


def alike(prompts: Sequence[Prompt]) -> pl.DataFrame:
    """Prompts that differ from an earlier one of the same task and side by case or by signs alone."""
    return twin_prompts(prompts)


def study_of(fields: Mapping[str, Any]) -> Study:
    """The study with these fields.

    Raises:
        UsageError: It cannot run.
    """
    return make_study(fields)


def study_in(content: bytes, file_name: str) -> Study:
    """The study in an uploaded file.

    Raises:
        UsageError: It is none, or asks for what only a terminal may; the message names the place.
    """
    study = parse_study(content, file_name)
    if foreign := [model.name for model in study.models if model.trust_remote_code]:
        raise UsageError(
            f"{file_name} asks for code that comes with {', '.join(foreign)} (trust_remote_code); a page cannot. "
            "Run it with `python -m engine sweep --study FILE` where the data lies."
        )
    return study


def preview_of(fields: Mapping[str, Any]) -> Request | None:
    """The latest preview of the very same study; None where it was swept since, so that the preview is out of date."""
    of_study = [each for each in inbox.read_requests(settings()) if each.options.get("study") == dict(fields)]
    newest = of_study[-1] if of_study else None
    return newest if newest and newest.kind is RequestKind.PREVIEW else None


def preview_answer(request: Request) -> PreviewAnswer | None:
    """What a preview found out; None while it has found nothing."""
    return from_json(inbox.read_answer(settings(), request.request_id), PreviewAnswer)
