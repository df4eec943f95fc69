"""What a sweep can be made of, and how those that were asked for stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from engine import inbox
from engine.errors import UsageError
from engine.inbox import Request, RequestKind
from engine.ingest.prompts import duplicate_prompts
from engine.study.board import Board, PreviewAnswer, from_json
from engine.study.file import Study, make_study
from engine.study.resolve import prompt_sets
from engine.sweep.prompting import Prompt, read_prompts
from ui.reads.snapshots import answered, settings, shown_snapshot_id

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
    rows = [
        (prompt.task_name, prompt.prompt_type and str(prompt.prompt_type), prompt.text, f"{number}")
        for number, prompt in enumerate(prompts)
    ]
    columns = ["task_name", "prompt_type", "prompt_text", "prompt_id"]
    return duplicate_prompts(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String()), orient="row"))


def study_of(fields: Mapping[str, Any]) -> Study:
    """The study with these fields.

    Raises:
        UsageError: It cannot run.
    """
    return make_study(fields)


def sweeps() -> list[Request]:
    """Sweeps that were asked for, newest first."""
    return [each for each in reversed(inbox.read_requests(settings())) if each.kind is RequestKind.SWEEP]


def preview_of(fields: Mapping[str, Any]) -> Request | None:
    """The latest preview of the very same study; None where it was swept since, so that the preview is out of date."""
    of_study = [each for each in inbox.read_requests(settings()) if each.options.get("study") == dict(fields)]
    newest = of_study[-1] if of_study else None
    return newest if newest and newest.kind is RequestKind.PREVIEW else None


def preview_answer(request: Request) -> PreviewAnswer | None:
    """What a preview found out; None while it has found nothing."""
    found = inbox.read_answer(settings(), request.request_id)
    return from_json(found, PreviewAnswer) if found else None


def board_of(request: Request) -> Board | None:
    """How a sweep stands, cell by cell; None before it has begun."""
    found = inbox.read_answer(settings(), request.request_id)
    return from_json(found, Board) if found else None


def cancel(request: Request) -> None:
    """Asks for a request to be dropped."""
    inbox.cancel(settings(), request.request_id)


def retry(request: Request) -> None:
    """Asks for the same once more: what failed and what is missing is tried, nothing else."""
    inbox.retry(settings(), request.request_id)
