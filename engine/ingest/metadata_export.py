"""The child process that imports mteb: writes its metadata as Parquet, and converts result files of the old format.

`python -m engine.ingest.metadata_export export FOLDER` or `… convert FOLDER < lines of HASH<tab>PATH`.
mteb takes seconds to import and reads the network where it may; neither belongs into the engine's own process.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from engine.ingest.metadata import FRAMES
from engine.ingest.model_cards import model_card, names_or_unknown

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def export(folder: Path) -> None:
    """Writes one Parquet file a frame of `engine.ingest.metadata.FRAMES`, and `done` when all are there."""
    import mteb
    from mteb.get_tasks import _TASKS_REGISTRY
    from mteb.models.model_implementations import MODEL_REGISTRY

    tasks = [task() for _, task in sorted(_TASKS_REGISTRY.items())]
    benchmarks = sorted(mteb.get_benchmarks(), key=lambda benchmark: benchmark.name)
    rows = {
        "models": [_model(meta) for _, meta in sorted(MODEL_REGISTRY.items())],
        "tasks": [_task(task) for task in tasks],
        "task_rows": [row for task in tasks for row in _task_rows(task)],
        "benchmarks": [_benchmark(benchmark) for benchmark in benchmarks],
        "benchmark_rows": [row for benchmark in benchmarks for row in _benchmark_rows(benchmark)],
        "language_names": list(_language_names()),
    }
    for name, schema in FRAMES.items():
        pl.DataFrame(rows[name], schema=schema).write_parquet(folder / f"{name}.parquet")
    (folder / "done").touch()


def _model(meta: Any) -> dict[str, Any]:
    card = meta.to_dict()
    settings = dict(meta.loader_kwargs or {})
    template = settings.get("instruction_template") or _module_template(meta.loader)
    settings["instruction_template"] = _template_text(template)
    card.update(name=meta.name, training_datasets=meta.training_datasets, loader_kwargs=settings)
    return {
        **model_card({**card, "release_date": _text(meta.release_date)}, described_by="mteb"),
        "training_closure": names_or_unknown(meta.get_training_datasets()),
    }


def _module_template(loader: Any) -> Any:
    """The function `instruction_template` that a loader's own code uses; None where it uses none."""
    code = getattr(loader, "__code__", None)
    if code is None or "instruction_template" not in code.co_names:
        return None
    return loader.__globals__.get("instruction_template")


def _template_text(template: Any) -> str | None:
    """A template with its slot; of a function what it makes of the slot on the query side."""
    from mteb.types import PromptType

    if template is None or isinstance(template, str):
        return template
    try:
        return str(template("{instruction}", PromptType.query))
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


def _task(task: Any) -> dict[str, Any]:
    meta = task.metadata
    prompt = meta.prompt
    by_side = prompt if isinstance(prompt, dict) else {"query": prompt}
    return {
        "task_name": meta.name,
        "task_type": _text(meta.type),
        "main_score": meta.main_score,
        "description": meta.description,
        "domains": _names(meta.domains),
        "languages": sorted(
            {language for languages in meta.hf_subsets_to_langscripts.values() for language in languages}
        ),
        "eval_splits": list(meta.eval_splits),
        "category": _text(meta.category),
        "sample_creation": _text(meta.sample_creation),
        "annotations_creators": _text(meta.annotations_creators),
        "license": _text(meta.license),
        "dataset_revision": _text(meta.dataset.get("revision")),
        "reference": _text(meta.reference),
        "default_prompt_query": by_side.get("query"),
        "default_prompt_document": by_side.get("document"),
        "adapted_from": _names(meta.adapted_from),
        "superseded_by": _text(meta.superseded_by),
        "is_public": meta.is_public,
        "modalities": _names(meta.modalities),
        "described_by": "mteb",
    }


def _task_rows(task: Any) -> Iterator[dict[str, Any]]:
    """Every split × subset that the task evaluates, with its size where mteb counted it."""
    meta = task.metadata
    sizes = meta.descriptive_stats or {}
    subsets = meta.hf_subsets_to_langscripts
    if task.is_aggregate:
        subsets = {"default": sorted({language for languages in subsets.values() for language in languages})}
    for split in meta.eval_splits:
        of_split = sizes.get(split) or {}
        by_subset = of_split.get("hf_subset_descriptive_stats") or {}
        for subset, languages in subsets.items():
            size = by_subset.get(subset) or (of_split if len(subsets) == 1 else {})
            yield {
                "task_name": meta.name,
                "split": split,
                "subset": subset,
                "languages": list(languages),
                "is_eval_split": True,
                "n_queries": _count(size.get("queries_text_statistics")),
                "n_documents": _count(size.get("documents_text_statistics")),
                "n_samples": size.get("num_samples"),
            }


def _count(statistics: dict[str, Any] | None) -> int | None:
    """How many texts: mteb stores the total and the average length, not their number."""
    if not statistics or not statistics.get("average_text_length"):
        return None
    return int(round(statistics["total_text_length"] / statistics["average_text_length"]))


def _benchmark(benchmark: Any) -> dict[str, Any]:
    view = benchmark.language_view
    if view == "all":
        view = sorted({code for task in benchmark.tasks for code in task.metadata.languages})
    return {
        "benchmark_name": benchmark.name,
        "display_name": benchmark.display_name,
        "description": benchmark.description,
        "reference": _text(benchmark.reference),
        "language_view": list(view),
    }


def _benchmark_rows(benchmark: Any) -> Iterator[dict[str, str]]:
    """The split × subset pairs that the benchmark's own task objects select, each once."""
    seen = set()
    for task in benchmark.tasks:
        for split in task.eval_splits:
            for subset in ["default"] if task.is_aggregate else task.hf_subsets:
                seen.add((task.metadata.name, split, subset))
    for task_name, split, subset in sorted(seen):
        yield {"benchmark_name": benchmark.name, "task_name": task_name, "split": split, "subset": subset}


def _language_names() -> Iterator[dict[str, str]]:
    """Names of languages and scripts by their ISO codes."""
    from mteb.languages import ISO_TO_LANGUAGE, ISO_TO_SCRIPT

    for part, names in (("language", ISO_TO_LANGUAGE), ("script", ISO_TO_SCRIPT)):
        for code, name in sorted(names.items()):
            yield {"part": part, "code": code, "name": name}


def _names(values: Iterable[Any] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def convert(folder: Path, lines: Iterable[str]) -> None:
    """Writes one file per old result file in the new format, or the reason why mteb cannot convert it."""
    for line in lines:
        name, _, path = line.rstrip("\n").partition("\t")
        unfinished = folder / f"{name}.unfinished"
        unfinished.write_text(json.dumps(_converted(Path(path))), "utf-8")
        unfinished.replace(folder / f"{name}.json")


def _converted(path: Path) -> dict[str, Any]:
    from mteb.results import TaskResult

    try:
        result = TaskResult.from_disk(path)
    except Exception as error:  # noqa: BLE001 - mteb raises whatever an old file runs into; each becomes a reject
        return {
            "error": f"mteb's converter failed with {error!r}; expected a result from before mteb 1.11. Run it again."
        }
    scores = {
        split: [{key: row[key] for key in ("hf_subset", "languages", "main_score")} for row in rows]
        for split, rows in result.scores.items()
    }
    if all(row["main_score"] is None for rows in scores.values() for row in rows):
        return {
            "error": "no main score in a result from before mteb 1.11; expected the task's metric. Run the task again."
        }
    return {
        "task_name": result.task_name,
        "dataset_revision": result.dataset_revision,
        "mteb_version": result.mteb_version,
        "evaluation_time": result.evaluation_time,
        "scores": scores,
    }


def main(command: str, folder: Path) -> None:
    """Does what the parent asked for."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    {"export": lambda: export(folder), "convert": lambda: convert(folder, sys.stdin)}[command]()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
