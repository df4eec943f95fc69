"""RUNS rows and the prompts they were given, from what batches found in folders, settings and sidecars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from engine.errors import SourceError
from engine.ingest.batch import META_NAME, Batch, FolderFacts, RunFacts
from engine.ingest.harvest import RUN_FRAME
from engine.ingest.prompt_sides import GivenPrompt, given_prompt, lookup_keys
from engine.ingest.prompts import PROMPT_TEXT_FRAME
from engine.schema import PromptOrigin, PromptType, TemplateUse
from engine.sweep.record import RunRecord, read_record

Reject = tuple[str, str, str]
"""path, place, reason"""

PROMPTS_PLACE = "experiment_kwargs.prompts"


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


@dataclass
class _Experiment:
    """The keys of one experiment's folder over all its tasks."""

    facts: FolderFacts
    matched: set[str] = field(default_factory=set)
    looked_for: set[str] = field(default_factory=set)


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
    experiments: dict[str, _Experiment] = {}
    for batch in batches:
        for run in batch.runs:
            facts = batch.folders[run.folder]
            record = _record(source_path, facts, run, built.rejects)
            recorded = record.prompts if record else None
            prompts = facts.prompts or {} if recorded is None else recorded
            given = given_prompt(prompts, run.task_name, types.get(run.task_name))
            _add(built, source_name, facts, run, given, record)
            if facts.prompts:
                folder = experiments.setdefault(facts.path, _Experiment(facts))
                folder.matched |= given.matching_keys
                folder.looked_for |= {
                    key for side in given.sides for key in lookup_keys(run.task_name, types.get(run.task_name), side)
                }
                built.rejects += _unreadable(facts, given)
    built.rejects += chain.from_iterable(_unmatched(folder) for folder in experiments.values())
    return built


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
) -> None:
    """One more row."""
    if record is not None and record.prompt_id != given.prompt_id:
        reason = (
            f"prompt_id {record.prompt_id}; expected {given.prompt_id}, the prompt in {META_NAME}. "
            "The run is kept without a prompt; run it again."
        )
        built.rejects.append((facts.records[run.task_name], "prompt_id", reason))
        given, record = replace(given, texts={}), None
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
        **(_recorded_sides(record) if record else _imported_sides(given)),
        "template_used": record.template_used if record else TemplateUse.NOT_RECORDED,
        "dataset_revision": run.dataset_revision,
        "mteb_version": run.mteb_version,
        "encoder_versions": _versions(record) if record else facts.versions.get(run.task_name),
        "evaluation_time": run.evaluation_time,
        "path": run.path,
    }
    for name, column in built.columns.items():
        column.append(values[name])


def _imported_sides(given: GivenPrompt) -> dict[str, str | None]:
    """What ran, as far as an experiment's settings say: the study's prompt where one was given, else not recorded."""
    sides: dict[str, str | None] = {}
    for side in (PromptType.QUERY, PromptType.DOCUMENT, PromptType.NONE):
        text = given.texts.get(side)
        sides[f"prompt_{side}"] = text
        origin = PromptOrigin.NOT_RECORDED if text is None else PromptOrigin.STUDY
        sides[f"origin_{side}"] = str(origin) if side in given.sides else None
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


def _unmatched(folder: _Experiment) -> list[Reject]:
    """Keys of an experiment's prompts that no task in its folder looks for."""
    reason = f"matches no lookup; mteb looks for {', '.join(sorted(folder.looked_for))}. The other prompts apply."
    return [
        (f"{folder.facts.path}/{META_NAME}", f"{PROMPTS_PLACE}.{key}", reason)
        for key in sorted((folder.facts.prompts or {}).keys() - folder.matched)
    ]
