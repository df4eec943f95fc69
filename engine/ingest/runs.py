"""RUNS rows and the prompts they were given, from what batches found in folders, settings and sidecars."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from engine.errors import SourceError
from engine.ingest.batch import META_NAME, Batch, FolderFacts, RunFacts
from engine.ingest.harvest import RUN_FRAME
from engine.ingest.prompt_sides import GivenPrompt, given_prompt, lookup_keys
from engine.ingest.prompts import PROMPT_TEXT_FRAME, has_sides
from engine.schema import PromptOrigin, PromptType, TemplateUse
from engine.sweep.record import RunRecord, read_record

Reject = tuple[str, str, str]
"""path, place, reason"""

PROMPTS_PLACE = "experiment_kwargs.prompts"
_NO_PROMPT = GivenPrompt({}, frozenset(), frozenset())


@dataclass
class BuiltRuns:
    """Runs in the order of the batches, their distinct prompts, and what was refused on the way."""

    columns: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in RUN_FRAME})
    prompts_seen: dict[tuple[str, str], tuple[str, str, str | None]] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)

    @property
    def runs(self) -> pl.DataFrame:
        """RUNS without run_id."""
        return pl.DataFrame(self.columns, schema=RUN_FRAME)

    @property
    def prompts(self) -> pl.DataFrame:
        """One row per prompt and task: PROMPT_TEXT_FRAME."""
        rows = [(*key, *texts) for key, texts in sorted(self.prompts_seen.items())]
        return pl.DataFrame(rows, schema=PROMPT_TEXT_FRAME, orient="row")


def build_runs(
    source_name: str, source_path: Path, batches: Iterable[Batch], types: Mapping[str, str | None]
) -> BuiltRuns:
    """Runs of some batches.

    Args:
        source_name: Source they belong to.
        source_path: Its folder, where sidecars are read.
        batches: What the processes read.
        types: Task types by task name, where known.
    """
    built = BuiltRuns()
    matched: dict[str, set[str]] = defaultdict(set)
    experiments: dict[str, tuple[FolderFacts, set[str]]] = {}
    for batch in batches:
        for run in batch.runs:
            facts = batch.folders[run.folder]
            given = _given(facts, run, types)
            record = _record(source_path, facts, run, built.rejects)
            _add(built, source_name, facts, run, given, record, types)
            if facts.prompts:
                matched[facts.path] |= given.matching_keys
                experiments.setdefault(facts.path, (facts, set()))[1].add(run.task_name)
                built.rejects += _unreadable(facts, given)
    for facts, tasks in experiments.values():
        built.rejects += _unmatched(facts, tasks, matched[facts.path], types)
    return built


def _given(facts: FolderFacts, run: RunFacts, types: Mapping[str, str | None]) -> GivenPrompt:
    return given_prompt(facts.prompts, run.task_name, types.get(run.task_name)) if facts.prompts else _NO_PROMPT


def _record(source_path: Path, facts: FolderFacts, run: RunFacts, rejects: list[Reject]) -> RunRecord | None:
    path = facts.records.get(run.task_name)
    if path is None:
        return None
    try:
        return read_record(source_path / path)
    except SourceError as error:
        rejects.append((path, "", str(error)))
        return None


def _add(
    built: BuiltRuns,
    source_name: str,
    facts: FolderFacts,
    run: RunFacts,
    given: GivenPrompt,
    record: RunRecord | None,
    types: Mapping[str, str | None],
) -> None:
    """One more row."""
    if record is not None and record.prompt_id != given.prompt_id:
        reason = (
            f"prompt_id {record.prompt_id}; expected {given.prompt_id}, the prompt in {META_NAME}. "
            "The run is kept without a prompt; run it again."
        )
        built.rejects.append((facts.records[run.task_name], "prompt_id", reason))
        given, record = _NO_PROMPT, None
    identity = given.prompt_id
    if identity is not None and given.text is not None:
        built.prompts_seen[identity, run.task_name] = (str(given.prompt_type), given.text, given.document_text)
    values = {
        "source_name": source_name,
        "model_name": facts.model_name,
        "model_revision": facts.model_revision,
        "task_name": run.task_name,
        "experiment_name": facts.experiment_name,
        "prompt_id": identity,
        "is_default": not facts.experiment_name,
        **(_recorded_sides(record) if record else _imported_sides(given, run.task_name, types)),
        "template_used": record.template_used if record else TemplateUse.NOT_RECORDED,
        "dataset_revision": run.dataset_revision,
        "mteb_version": run.mteb_version,
        "encoder_versions": _versions(record) if record else facts.versions.get(run.task_name),
        "evaluation_time": run.evaluation_time,
        "path": run.path,
    }
    for name, column in built.columns.items():
        column.append(values[name])


def _imported_sides(given: GivenPrompt, task_name: str, types: Mapping[str, str | None]) -> dict[str, str | None]:
    """What ran, as far as an experiment's settings say: the study's prompt where one was given, else not recorded."""
    sided = has_sides(task_name, types.get(task_name))
    sides: dict[str, str | None] = {}
    for side in (PromptType.QUERY, PromptType.DOCUMENT, PromptType.NONE):
        is_there = (side is PromptType.NONE) != sided
        text = given.texts.get(side)
        sides[f"prompt_{side}"] = text
        origin = PromptOrigin.NOT_RECORDED if text is None else PromptOrigin.STUDY
        sides[f"origin_{side}"] = str(origin) if is_there else None
    return sides


def _recorded_sides(record: RunRecord) -> dict[str, str | None]:
    sides: dict[str, str | None] = {}
    for side in (PromptType.QUERY, PromptType.DOCUMENT, PromptType.NONE):
        sides[f"prompt_{side}"] = record.strings.get(side)
        origin = record.origins.get(side)
        sides[f"origin_{side}"] = None if origin is None else str(origin)
    return sides


def _versions(record: RunRecord) -> str:
    known = {name: version for name, version in sorted(record.versions.items()) if version and name != "mteb"}
    return msgspec.json.encode(known).decode()


def _unreadable(facts: FolderFacts, given: GivenPrompt) -> list[Reject]:
    return [
        (
            f"{facts.path}/{META_NAME}",
            f"{PROMPTS_PLACE}.{key}",
            "no text; expected one. The run is kept without this prompt.",
        )
        for key in sorted(given.unreadable_keys)
    ]


def _unmatched(facts: FolderFacts, tasks: set[str], matched: set[str], types: Mapping[str, str | None]) -> list[Reject]:
    """Keys of an experiment's prompts that no task in its folder looks for."""
    looked_for = sorted(
        {
            key
            for task in tasks
            for side in PromptType
            if side is not PromptType.BOTH and (side is PromptType.NONE) != has_sides(task, types.get(task))
            for key in lookup_keys(task, types.get(task), side)
        }
    )
    reason = f"matches no lookup; mteb looks for {', '.join(looked_for)}. The other prompts apply."
    unknown = sorted(task for task in tasks if types.get(task) is None)
    if unknown:
        reason += f" The type of {', '.join(unknown)} is unknown: taken for a task without sides."
    return [
        (f"{facts.path}/{META_NAME}", f"{PROMPTS_PLACE}.{key}", reason)
        for key in sorted((facts.prompts or {}).keys() - matched)
    ]
