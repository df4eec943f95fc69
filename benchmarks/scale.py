"""What a store of 300 models × 131 tasks × 15 prompts costs to build, to keep, and to look at.

    python benchmarks/scale.py [--models 300] [--prompts 15] [--rows-cap 2000] [--keep FOLDER] [--pages-only]

SYNTHETIC: scores are random numbers; only their amount means something. The tree is laid out as a sweep leaves it: a
result and a record for every run, under the rows that mteb describes for MTEB(Multilingual, v2). Of a task with more
rows than the cap (FloresBitextMining has 41,412) only so many are written. Runs of several models link to one of 16
different files per task, so that the disk holds the folder; the store holds every row. Fifteen prompts serve all tasks.

With `--pages-only` the tree of one model is built, and its rows are multiplied inside the store: two minutes instead of
twenty, the same tables, no figures about building.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

import polars as pl  # noqa: E402
from streamlit.testing.v1 import AppTest  # noqa: E402

from engine.content import row_counts  # noqa: E402
from engine.ingest.metadata import mteb_metadata  # noqa: E402
from engine.ingest.prompts import has_sides, prompt_id  # noqa: E402
from engine.pipeline import build  # noqa: E402
from engine.schema import FILES, LANGUAGE_SCORES, MODELS, RUNS, SCORES  # noqa: E402
from engine.settings import Settings  # noqa: E402
from engine.sources import add_source  # noqa: E402
from engine.store import drafting, open_snapshot  # noqa: E402
from engine.sweep.record import RunRecord, encode_record, experiment_name_of, record_path, result_path  # noqa: E402

BENCHMARK = "MTEB(Multilingual, v2)"
SOURCE = "synthetic-sweep"
VARIANTS = 16
PROMPT = "Synthetic prompt {}: "
MODEL = "synthetic/model-{:03d}"
RERUNS = 5
TASK = "STS22.v2"
CASES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("overview", "overview", {}),
    ("prompt distributions, one task", "prompt_distributions", {"source": SOURCE, "task": TASK}),
    ("prompt distributions, as it opens", "prompt_distributions", {"source": SOURCE}),
    ("prompt distributions, variation", "prompt_distributions", {"source": SOURCE, "view": "Variation"}),
    ("leaderboard, scenario", "leaderboard_simulator", {"source": SOURCE, "view": "Scenario"}),
    ("leaderboard, rank probabilities", "leaderboard_simulator", {"source": SOURCE, "view": "Rank probabilities"}),
    ("leaderboard, fewest switches", "leaderboard_simulator", {"source": SOURCE, "view": "Fewest switches"}),
    ("leaderboard, robust ranks", "leaderboard_simulator", {"source": SOURCE, "view": "Robust ranks"}),
    ("languages, side by side", "language_composition", {"source": SOURCE, "view": "Side by side"}),
    ("methods", "methods", {}),
)


def tasks_of(settings: Settings, rows_cap: int) -> pl.DataFrame:
    """One row per row of the benchmark's tasks: task, type, split, subset, languages, cut at the cap."""
    known = mteb_metadata(settings)
    rows = known.benchmark_rows.filter(pl.col("benchmark_name") == BENCHMARK)
    described = rows.join(known.task_rows, on=["task_name", "split", "subset"]).join(known.tasks, on="task_name")
    within = pl.int_range(pl.len()).over("task_name") < rows_cap
    return described.filter(within).select("task_name", "task_type", "split", "subset", pl.col("languages"))


def result_text(task: str, rows: pl.DataFrame, draw: random.Random) -> str:
    """A result file with a random main score in every row."""
    scores: dict[str, list[dict[str, object]]] = {}
    for split, subset, languages in rows.select("split", "subset", "languages").iter_rows():
        score = draw.random()
        scores.setdefault(split, []).append(
            {"main_score": score, "accuracy": score, "hf_subset": subset, "languages": languages}
        )
    head = {"dataset_revision": "synthetic", "task_name": task, "mteb_version": "2.26.24", "evaluation_time": 1.0}
    return json.dumps({**head, "scores": scores})


def write_tree(folder: Path, originals: Path, tasks: pl.DataFrame, n_models: int, n_prompts: int) -> int:
    """The tree of a sweep; how many runs it holds."""
    draw, runs = random.Random(0), 0
    originals.mkdir(parents=True)
    for (task, task_type), rows in tasks.group_by(["task_name", "task_type"], maintain_order=True):
        name, side = str(task), "query" if has_sides(str(task), str(task_type)) else "none"
        files = [originals / f"{name}-{number}.json" for number in range(VARIANTS)]
        for file in files:
            file.write_text(result_text(name, rows, draw), encoding="utf-8")
        for number in range(n_prompts + 1):
            text = None if number == 0 else PROMPT.format(number)
            record = originals / f"{name}-{number}.record.jsonl"
            record.write_text(encode_record(_record(name, side, text)), encoding="utf-8")
            experiment = experiment_name_of(prompt_id(side, text)) if text else ""
            for model in range(n_models):
                place = result_path(folder, MODEL.format(model), "1", experiment, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.hardlink_to(files[(model + 7 * number) % VARIANTS])
                record_path(place).hardlink_to(record)
                runs += 1
    describe_folders(folder, tasks, n_models, n_prompts)
    return runs


def describe_folders(folder: Path, tasks: pl.DataFrame, n_models: int, n_prompts: int) -> None:
    """Each folder's `model_meta.json`: the model, and the prompt under the key of every task that ran in it."""
    sides: dict[str, list[str]] = {"query": [], "none": []}
    for task, task_type in tasks.select("task_name", "task_type").unique(maintain_order=True).iter_rows():
        sides["query" if has_sides(task, task_type) else "none"].append(task)
    for model in range(n_models):
        named = {"name": MODEL.format(model), "revision": "1"}
        _write(result_path(folder, named["name"], "1", "", "x").parent / "model_meta.json", named)
        for side, of_side in sides.items():
            for number in range(1, n_prompts + 1):
                text = PROMPT.format(number)
                keyed = {task if side == "none" else f"{task}-query": text for task in of_side}
                found = {"prompts": keyed, "prompt_id": prompt_id(side, text)}
                place = result_path(folder, named["name"], "1", experiment_name_of(prompt_id(side, text)), "x").parent
                _write(place / "model_meta.json", {**named, "experiment_kwargs": found})


def _write(path: Path, values: dict[str, object]) -> None:
    path.write_text(json.dumps(values), encoding="utf-8")


def _record(task: str, side: str, text: str | None) -> RunRecord:
    return RunRecord(
        task_name=task,
        prompt_id=prompt_id(side, text) if text else None,
        strings={side: text},  # type: ignore[dict-item]
        origins={side: "study prompt" if text else "none"},  # type: ignore[dict-item]
        template_used="no",  # type: ignore[arg-type]
        versions={},
        device="none",
        dtype="float32",
        seconds=1.0,
        texts=1,
        texts_encoded=1,
        tokens=1,
        seed=0,
    )


def measure_build(settings: Settings, folder: Path) -> None:
    """Prints what building takes, from nothing and when one model's folder has changed, and what the store holds."""
    add_source(settings, folder, SOURCE)
    for what in ("build from nothing", "build when nothing changed"):
        report = build(settings)
        print(f"{what}: {report.seconds:.0f} s, {report.n_files_read:,} files read, peak memory {_peak():.1f} GB")
    changed = folder / "results" / MODEL.format(0).replace("/", "__") / "1"
    for result in changed.glob("*.json"):
        text = result.read_text("utf-8")
        result.unlink()
        result.write_text(text + " ", encoding="utf-8")
    report = build(settings)
    print(f"build after one model's default runs changed: {report.seconds:.0f} s, {report.n_files_read:,} files read")
    snapshot = open_snapshot(settings)
    size = max(path.stat().st_size for path in settings.snapshots.glob("*.duckdb"))
    print(f"snapshot: {size / 1e9:.2f} GB; rows: {_counts(row_counts(snapshot))}")
    snapshot.close()


def multiply_models(settings: Settings, n_models: int) -> None:
    """Publishes a store in which the one model of the current one stands so many times, with other scores each time."""
    one = MODEL.format(0)
    with drafting(settings) as draft:
        n_runs = draft.read("SELECT max(run_id) + 1 FROM runs").item()
        names = "format('synthetic/model-{:03d}', number) AS name"
        draft.keep("copies", f"SELECT number, {names} FROM range(1, {n_models}) AS each(number)")
        run_id = f"CAST(run_id + number * {n_runs} AS INTEGER) AS run_id"
        path = f"replace(path, '{one.replace('/', '__')}', replace(name, '/', '__')) AS path"
        changes = {
            MODELS: "name AS model_name",
            RUNS: f"{run_id}, name AS model_name, {path}",
            FILES: path,
            LANGUAGE_SCORES: run_id,
            SCORES: f"{run_id}, random() AS score",
        }
        for table, change in changes.items():
            own = f"WHERE model_name = '{one}'" if table is MODELS else ""
            draft.keep(
                "more", f"SELECT {table.name}.* REPLACE ({change}) FROM {table.name}, copies {own} ORDER BY number"
            )
            draft.connection.execute(f"INSERT INTO {table.name} FROM more")
            draft.changed.add(table.name)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count > 10_000)


def _peak() -> float:
    """Peak memory in GB: this process, and as many times the largest child as there may have been at once."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + child * max(1, len(os.sched_getaffinity(0)) - 1)) / 1e6


def measure_pages(settings: Settings) -> None:
    """Prints how long the server works on a page: when it is first opened, and on a rerun."""
    os.environ["SCORELENS_DATA"] = str(settings.data)
    print(f"{'page, seconds of the server':44} {'first':>7} {'rerun':>7}")
    for name, stem, parameters in CASES:
        page = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=1200)
        if stem != "overview":
            page.run()
            page.switch_page(f"pages/{stem}/page.py")
        for key, value in parameters.items():
            page.query_params[key] = value
        first = _seconds(page)
        again = statistics.median(_seconds(page) for _ in range(RERUNS))
        said = f" ({page.exception[0].message})" if page.exception else ""
        print(f"{name:44} {first:7.2f} {again:7.2f}{said}", flush=True)
    print(f"peak memory of all pages together: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


def _seconds(page: AppTest) -> float:
    started = time.perf_counter()
    page.run()
    return time.perf_counter() - started


def main() -> None:
    """Writes the tree, builds it, opens the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--prompts", type=int, default=15)
    parser.add_argument("--rows-cap", type=int, default=2_000, help="rows of a task that are written at most")
    parser.add_argument("--keep", type=Path, help="a folder for tree and store; a temporary one unless given")
    parser.add_argument("--pages-only", action="store_true", help="multiply one model in the store; no tree of all")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="scorelens-scale-") as spare:
        kept = (asked.keep or Path(spare)).resolve()
        settings, folder = Settings(data=kept / "data"), kept / "tree"
        if not folder.exists():
            tasks = tasks_of(settings, asked.rows_cap)
            started = time.perf_counter()
            n_written = 1 if asked.pages_only else asked.models
            runs = write_tree(folder, kept / "originals", tasks, n_written, asked.prompts)
            took = time.perf_counter() - started
            n_tasks = tasks["task_name"].n_unique()
            print(f"SYNTHETIC: {runs:,} runs, {n_tasks} tasks of {len(tasks):,} rows, written in {took:.0f} s")
        if asked.pages_only:
            add_source(settings, folder, SOURCE)
            build(settings)
            multiply_models(settings, asked.models)
        else:
            measure_build(settings, folder)
        measure_pages(settings)


if __name__ == "__main__":
    main()
