"""Prompts: their identity, the files that describe them, and which of them are nearly the same.

A prompt is its exact UTF-8 text and the side it is put before. Nothing is stripped, folded or formatted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from engine.errors import SourceError
from engine.ingest.prompt_kinds import kind_by_rule
from engine.schema import PROMPTS, PromptKind, PromptType

EVERY_TASK = "*"
"""Task of a prompt that is for each task it meets. It must be written: a task that was forgotten is an error."""

PROMPT_TEXT_FRAME = pl.Schema(
    {name: PROMPTS.schema[name] for name in ("prompt_id", "task_name", "prompt_type", "prompt_text", "document_text")}
)
PROMPT_RECORD_FRAME = pl.Schema(
    {**PROMPT_TEXT_FRAME, **{name: PROMPTS.schema[name] for name in ("prompt_kind", "generators", "note")}}
)

# Task types whose queries and documents are encoded apart: mteb passes a prompt type for these alone.
_SIDED_TYPES = frozenset({"DocumentUnderstanding", "VisionCentricQA", "VideoCentricQA"})
_SIDED_ENDINGS = ("Retrieval", "Reranking")
# Pair tasks whose class asks for a prompt type all the same.
_SIDED_TASKS = frozenset({"TERRa.V2", "EMIDPairClassification"})


def prompt_id(prompt_type: PromptType | str, text: str, document_text: str | None = None) -> str:
    """The identity of a prompt: 32 hexadecimal digits of the hash of side and exact text."""
    parts = [str(prompt_type), text] if document_text is None else [str(prompt_type), text, document_text]
    return hashlib.sha256(b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)).hexdigest()[:32]


def has_sides(task_name: str, task_type: str | None) -> bool:
    """Whether queries and documents of a task are encoded apart; False where the type is unknown."""
    if task_type is None:
        return False
    return task_type.endswith(_SIDED_ENDINGS) or task_type in _SIDED_TYPES or task_name in _SIDED_TASKS


def default_side(task_name: str, task_type: str | None) -> PromptType:
    """The side that a prompt belongs to when nobody says: queries where a task has them, else every text."""
    return PromptType.QUERY if has_sides(task_name, task_type) else PromptType.NONE


def read_prompt_file(path: Path, tasks: pl.DataFrame) -> pl.DataFrame:
    """Prompt records of a file: one row per prompt and task, a repeated one only once.

    Two forms are read. Ours is JSON lines with `task_name`, `prompt_type`, `text`, and where known
    `document_text`, `kind`, `generators`, `note`. The prompt study's is one JSON list with `task_name`,
    `prompt_text` and `generators`; a record without a side takes that of its task, and one for the task `*` is
    for every known task.

    Args:
        path: The file.
        tasks: `task_name` and `task_type` of known tasks.

    Raises:
        SourceError: The file cannot be read, or a record lacks its task or text or names an unknown kind or side.
    """
    types = dict(tasks.select("task_name", "task_type").iter_rows())
    try:
        text = path.read_text("utf-8")
        entries = json.loads(text) if text.lstrip().startswith("[") else _json_lines(text)
    except (OSError, ValueError) as error:
        raise SourceError(
            f"{path}: {error}; expected JSON lines or a JSON list of prompts. Repair the file."
        ) from error
    records = [row for number, entry in enumerate(entries, start=1) for row in _records(path, number, entry, types)]
    return pl.DataFrame(records, schema=PROMPT_RECORD_FRAME, orient="row").unique(
        ["prompt_id", "task_name"], keep="first", maintain_order=True
    )


def _json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]


class _Entry(msgspec.Struct):
    """One record of a prompt file, in our form or in the prompt study's."""

    task_name: str
    text: str | None = None
    prompt_text: str | None = None
    prompt_type: PromptType | None = None
    document_text: str | None = None
    kind: PromptKind | None = None
    generators: list[str] | None = None
    note: str | None = None


def _records(path: Path, number: int, entry: Any, types: Mapping[str, str | None]) -> list[tuple[Any, ...]]:
    """The rows of one record: one a task."""
    try:
        read = msgspec.convert(entry, _Entry)
    except msgspec.ValidationError as error:
        raise SourceError(
            f"{path}, prompt {number}: {error}; expected task_name, text and the optional prompt_type, document_text, "
            f"kind ({', '.join(PromptKind)}), generators, note. Repair the file."
        ) from error
    text = read.prompt_text if read.text is None else read.text
    if text is None:
        raise SourceError(f'{path}, prompt {number}: no text; expected one, "" for an empty prompt. Repair the file.')
    kind = None if read.kind is None else str(read.kind)
    rows = []
    for task in types if read.task_name == EVERY_TASK else (read.task_name,):
        side = read.prompt_type or default_side(task, types.get(task))
        identity = prompt_id(side, text, read.document_text)
        rows.append((identity, task, str(side), text, read.document_text, kind, read.generators, read.note))
    return rows


def describe_prompts(texts: pl.DataFrame, records: Iterable[pl.DataFrame], tasks: pl.DataFrame) -> pl.DataFrame:
    """PROMPTS rows: prompts with their kind, authors and note.

    A prompt file's word wins over the rule, a later file's over an earlier one's, field by field.

    Args:
        texts: `prompt_id`, `task_name`, `prompt_type`, `prompt_text`, `document_text`, one row a prompt and task.
        records: What prompt files say, in order of rising authority.
        tasks: TASKS rows of the tasks at hand.
    """
    said = pl.concat([PROMPT_RECORD_FRAME.to_frame(), *records]).group_by("prompt_id", "task_name")
    known = said.agg(pl.col("prompt_kind", "generators", "note").drop_nulls().last())
    described = texts.join(known, on=["prompt_id", "task_name"], how="left", maintain_order="left").join(
        tasks.select("task_name", "task_type", "description"), on="task_name", how="left", maintain_order="left"
    )
    by_rule = [
        str(kind_by_rule(row["prompt_text"], row["task_name"], row["task_type"], row["description"] or ""))
        if row["prompt_kind"] is None
        else None
        for row in described.iter_rows(named=True)
    ]
    kinds = pl.Series("by_rule", by_rule, dtype=pl.String())
    return described.with_columns(
        pl.when(pl.col("prompt_kind").is_null()).then(pl.lit("rule")).otherwise(pl.lit("file")).alias("kind_origin"),
        pl.col("prompt_kind").fill_null(kinds),
    ).select(PROMPTS.schema.names())


def duplicate_prompts(prompts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of prompts of one task and side that a reader would take for one; nothing is merged for it.

    One row per prompt that has a twin before it in order of text, the likest one: `task_name`, `prompt_id`,
    `prompt_text`, `twin_id`, `twin_text`, and `likeness`: `exact` (the same text twice, where `prompt_id` tells
    records apart), `case` (only upper and lower case differ) or `near` (the same but for case, white space,
    punctuation, signs that nobody sees, and ways to write a letter in Unicode).
    """
    folded = pl.col("prompt_text").str.to_lowercase()
    letters = pl.col("prompt_text").str.normalize("NFKC").str.to_lowercase().str.replace_all(r"[\s\p{P}\p{Cf}]+", "")
    levels = {"exact": pl.col("prompt_text"), "case": folded, "near": letters}
    twins = prompts.sort("prompt_text", "prompt_id").with_columns(
        pl.lit(None, pl.String()).alias(name) for name in ("likeness", "twin_id", "twin_text")
    )
    for likeness, key in levels.items():
        group = ["task_name", "prompt_type", key]
        is_first = pl.col("prompt_id") == pl.col("prompt_id").first().over(group)
        found = pl.col("likeness").is_null() & ~is_first
        twins = twins.with_columns(
            likeness=pl.when(found).then(pl.lit(likeness)).otherwise("likeness"),
            twin_id=pl.when(found).then(pl.col("prompt_id").first().over(group)).otherwise("twin_id"),
            twin_text=pl.when(found).then(pl.col("prompt_text").first().over(group)).otherwise("twin_text"),
        )
    return twins.filter(pl.col("likeness").is_not_null()).select(
        "task_name", "prompt_id", "prompt_text", "twin_id", "twin_text", "likeness"
    )
