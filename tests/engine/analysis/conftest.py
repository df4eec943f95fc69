"""Made-up studies, small enough to check by hand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import hypothesis
import polars as pl
import pytest

from engine.analysis.places import Reading
from engine.analysis.prompt_distributions import PromptDistributions, distribute
from engine.analysis.prompt_records import PromptRecords, build_records
from engine.analysis.references import order_published
from engine.schema import RUNS

# A busy machine must not fail a property.
hypothesis.settings.register_profile("scorelens", deadline=None)
hypothesis.settings.load_profile("scorelens")

RUN_SCHEMA = {
    name: dtype for name, dtype in RUNS.schema.items() if name not in ("evaluation_time", "path")
}  # fmt: skip
Cell = tuple[str, str]
RowScores = float | None | Mapping[str, float | None]
PLAIN = {
    "model_revision": "r1",
    "origin_none": "not recorded",
    "template_used": "no",
    "dataset_revision": "d1",
    "mteb_version": "2.0.0",
}


class Study:
    """Collects runs and turns them into records."""

    def __init__(self) -> None:
        self.runs: list[dict[str, Any]] = []
        self.scores: list[tuple[int, int, float | None]] = []
        self.rows: dict[tuple[str, str], int] = {}

    def add(self, source: str, cell: Cell, held: RowScores, **columns: Any) -> None:
        run_id = len(self.runs)
        model_name, task_name = cell
        run = {"run_id": run_id, "source_name": source, "model_name": model_name, "task_name": task_name}
        self.runs.append({"experiment_name": "", "is_default": False, **PLAIN, **run, **columns})
        by_row = held if isinstance(held, Mapping) else {"test": held}
        for row, score in by_row.items():
            self.scores.append((run_id, self.row_id(task_name, row), score))

    def row_id(self, task_name: str, row: str) -> int:
        return self.rows.setdefault((task_name, row), len(self.rows))

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame([{name: run.get(name) for name in RUN_SCHEMA} for run in self.runs], RUN_SCHEMA)

    def bundle_scores(self) -> pl.DataFrame:
        """Each row is a bundle of its own."""
        schema = {"run_id": pl.Int32, "bundle_id": pl.Int32, "score_sum": pl.Float64}
        return pl.DataFrame(self.scores, schema, orient="row").with_columns(n_rows=pl.lit(1, pl.Int64))

    def bundles(self) -> pl.DataFrame:
        schema = {"task_name": pl.String, "row_id": pl.Int32}
        rows = [(task, row_id) for (task, _), row_id in self.rows.items()]
        return pl.DataFrame(rows, schema, orient="row").with_columns(bundle_id="row_id")


def make_records(
    prompts: Mapping[Cell, Mapping[str, RowScores]],
    defaults: Mapping[Cell, RowScores] | None = None,
    published: Sequence[tuple[Cell, RowScores, Mapping[str, Any]]] = (),
    *,
    kinds: Mapping[str, str] | None = None,
    generators: Mapping[str, list[str] | None] | None = None,
    schemes: Mapping[str, str] | None = None,
    benchmarks: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    run_columns: Mapping[str, Any] | None = None,
    default_columns: Mapping[str, Any] | None = None,
    revisions: Mapping[Cell, str] | None = None,
    own_defaults: Sequence[tuple[Cell, RowScores, Mapping[str, Any]]] = (),
    default_revisions: Mapping[Cell, str] | None = None,
) -> PromptRecords:
    """Records of source `study`: prompts are named by their text, rows by their split."""
    study = Study()
    for cell, by_text in prompts.items():
        for text, held in by_text.items():
            columns = {"prompt_id": text, "experiment_name": text, **(run_columns or {})}
            study.add("study", cell, held, **columns)
    for cell, held in (defaults or {}).items():
        study.add("study", cell, held, is_default=True, **(default_columns or {}))
    for cell, held, columns in own_defaults:
        study.add("study", cell, held, is_default=True, **columns)
    for cell, held, columns in published:
        study.add(columns.get("source_name", "mteb"), cell, held, is_default=True, **columns)
    every = study.frame()
    runs = every.filter(pl.col("source_name") == "study").sort("model_name", "task_name", "prompt_id")
    others = every.filter(pl.col("source_name") != "study")
    cells = every.filter(pl.col("prompt_id").is_not_null()).select("model_name", "task_name").unique()
    shown = cells.with_columns(
        model_revision=pl.struct("model_name", "task_name").map_elements(
            lambda cell: (revisions or {}).get((cell["model_name"], cell["task_name"]), "r1"), return_dtype=pl.String
        )
    )
    prompt_rows = [
        {
            "prompt_id": text,
            "task_name": task,
            "prompt_text": text,
            "prompt_kind": (kinds or {}).get(text, "label-like"),
            "generators": (generators or {}).get(text),
        }
        for task, text in sorted({(cell[1], text) for cell, by_text in prompts.items() for text in by_text})
    ]
    texts = dict.fromkeys(("prompt_id", "task_name", "prompt_text", "prompt_kind"), pl.String)
    models = sorted({cell[0] for cell in prompts})
    tasks = sorted({cell[1] for cell in prompts})
    named = [
        {"benchmark_name": name, "task_name": task, "row_id": study.row_id(task, row)}
        for name, rows in (benchmarks or {}).items()
        for task, row in rows
    ]
    return build_records(
        source="study",
        runs=runs,
        published_runs=order_published(others, shown, others.head(0), pl.Series(["study"])),
        bundle_scores=study.bundle_scores(),
        bundles=study.bundles(),
        prompts=pl.DataFrame(prompt_rows, {**texts, "generators": pl.List(pl.String)}),
        tasks=pl.DataFrame(
            {"task_name": tasks, "task_type": ["STS"] * len(tasks)},
            dict.fromkeys(("task_name", "task_type"), pl.String),
        ),
        models=pl.DataFrame(
            {"model_name": models, "prompt_scheme": [(schemes or {}).get(model) for model in models]},
            {"model_name": pl.String, "prompt_scheme": pl.String},
        ),
        benchmark_rows=pl.DataFrame(named, {"benchmark_name": pl.String, "task_name": pl.String, "row_id": pl.Int32}),
        revisions=shown,
        default_revisions=pl.DataFrame(
            [(*cell, revision) for cell, revision in (default_revisions or {}).items()],
            dict.fromkeys(("model_name", "task_name", "model_revision"), pl.String),
            orient="row",
        ),
    )


def place(records: PromptRecords, prompts: pl.DataFrame | None = None, **reading: Any) -> PromptDistributions:
    """The distributions of all prompts of the records."""
    return distribute(records, records.prompts if prompts is None else prompts, Reading(**reading))


@pytest.fixture(scope="session")
def records_of() -> Callable[..., PromptRecords]:
    """Builds records of a made-up study."""
    return make_records


@pytest.fixture(scope="session")
def distributions_of() -> Callable[..., PromptDistributions]:
    """Places the references of made-up records."""
    return place


@pytest.fixture(scope="session")
def one_cell() -> Callable[..., dict[str, Any]]:
    """The cell of one model on one task, from prompt scores and the score of the default run."""

    def build(scores: Sequence[float | None], default: float | None = None, **reading: Any) -> dict[str, Any]:
        cell = ("org/m", "T")
        records = make_records(
            {cell: {f"p{number:03d}": score for number, score in enumerate(scores)}},
            {cell: default} if default is not None else {},
        )
        return place(records, **reading).cells.row(0, named=True)

    return build
