"""Sums over bundles of rows against a plain reading row by row, on data with every kind of gap."""

import math
import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from engine.analysis.readings import read_every_way
from engine.analysis.references import Reference
from engine.answers import prompt_records
from engine.answers.prompt_distributions import ALL, PromptQuestion, answer
from engine.schema import (
    BENCHMARK_ROWS,
    BENCHMARKS,
    LANGUAGE_LISTS,
    MODELS,
    PROMPTS,
    ROWS,
    RUNS,
    SCORES,
    SOURCES,
    TASKS,
)
from engine.settings import Settings
from engine.store import drafting, open_snapshot

N_ROWS = 9
TASK_NAMES = ("T", "U")
VIEWS = {"B": (0, 1, 2, 12), "C": (2, 3, 4, 5), "D": (7, 8, 10, 11)}
"""Rows of benchmarks; rows 0 to 8 belong to T, 9 to 17 to U."""


def awkward_runs(draw):
    """Runs with what each holds: gaps of every kind, two revisions, a prompt that ran twice, published runs."""
    for model in ("a", "b", "c"):
        for task_at, task in enumerate(TASK_NAMES):
            for number in range(8):
                cell = {"model_name": model, "task_name": task, "source_name": "study", "model_revision": "r1"}
                named = {"prompt_id": f"p{number}", "experiment_name": f"e{number}"} if number else {}
                yield {**cell, **named, "is_default": not number}, held_rows(draw, task_at, number)
            yield {**cell, "model_revision": "r2", "is_default": True}, held_rows(draw, task_at, 1)
            yield {**cell, "prompt_id": "p1", "experiment_name": "twice"}, held_rows(draw, task_at, 2)
            published = {**cell, "source_name": "published", "is_default": True}
            yield published, held_rows(draw, task_at, 3)
            yield {**published, "model_revision": "r3"}, held_rows(draw, task_at, 4)


def held_rows(draw, task_at, number):
    """Scores by row: on U each run lacks other rows or numbers; on T whole runs lack the last two."""
    first = task_at * N_ROWS
    scores = {first + row: draw.uniform(-0.2, 1) for row in range(N_ROWS)}
    if task_at:
        scores[first + number] = None
        del scores[draw.choice(sorted(scores.keys() - {first + number}))]
    elif number % 2:
        del scores[7], scores[8]
    elif number:
        scores[number // 2] = None  # as many runs as on the next row, but other ones
    return scores


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    settings, runs, scores = Settings(tmp_path_factory.mktemp("awkward")), [], []
    for run_id, (run, held) in enumerate(awkward_runs(random.Random(7))):
        described = {"run_id": run_id, "experiment_name": "", "is_default": False, "template_used": "no"}
        runs.append({**described, "mteb_version": "2.0.0", "path": f"f{run_id}", **run})
        scores += [{"run_id": run_id, "row_id": row, "language_list_id": 0, "score": held[row]} for row in held]
    random.Random(1).shuffle(scores)
    source = {"source_kind": "mteb cache", "path": "/s", "n_files": 1, "n_bytes": 1}
    prompt = {"prompt_type": "none", "prompt_kind": "label-like", "kind_origin": "rule"}
    tables = {
        SOURCES: [{**source, "source_name": name} for name in ("study", "published")],
        MODELS: [{"model_name": name, "described_by": "nobody"} for name in "abc"],
        TASKS: [{"task_name": name, "task_type": "STS", "described_by": "nobody"} for name in TASK_NAMES],
        ROWS: [
            {"row_id": row, "task_name": TASK_NAMES[row // N_ROWS], "split": "test", "subset": str(row)}
            for row in range(2 * N_ROWS)
        ],
        BENCHMARKS: [{"benchmark_name": name} for name in VIEWS],
        BENCHMARK_ROWS: [{"benchmark_name": name, "row_id": row} for name, rows in VIEWS.items() for row in rows],
        PROMPTS: [
            {**prompt, "prompt_id": f"p{number}", "task_name": task, "prompt_text": f"{number}"}
            for task in TASK_NAMES
            for number in range(1, 8)
        ],
        LANGUAGE_LISTS: [{"language_list_id": 0, "languages": ["eng-Latn"]}],
        RUNS: runs,
        SCORES: scores,
    }
    with drafting(settings) as draft:
        for table, rows in tables.items():
            draft.append(table, pl.DataFrame(rows, schema=table.schema))
    return open_snapshot(settings)


def question_of(reference=Reference.SAME_HARNESS, rows="study"):
    return PromptQuestion(source="study", prompts=ALL, reference=reference, rows=rows)


@pytest.mark.parametrize("rows", ["study", *VIEWS])
def test_scores_over_bundles_are_means_over_rows(snapshot, rows):
    """Row by row, in plain Python: a run has a score where each row of the view holds a number."""
    held = {}
    for run_id, row_id, score in snapshot.read("SELECT run_id, row_id, score FROM scores").iter_rows():
        held.setdefault(run_id, {})[row_id] = score
    runs = snapshot.read("SELECT * FROM runs WHERE source_name = 'study'")
    by_task = {task: set(part["run_id"]) for (task,), part in runs.group_by("task_name")}
    if rows == "study":
        view = {task: set.intersection(*(set(held[run]) for run in own)) for task, own in by_task.items()}
    else:
        view = {task: {row for row in VIEWS[rows] if TASK_NAMES[row // N_ROWS] == task} for task in TASK_NAMES}
    found = answer(snapshot, question_of(rows=rows))
    shown = found.records.prompt_runs.join(found.scores, on=["model_name", "task_name", "prompt_id"])
    assert len(shown) == len(found.scores) > 0
    for run in shown.iter_rows(named=True):
        numbers = [held[run["run_id"]].get(row) for row in view[run["task_name"]]]
        present = [number for number in numbers if number is not None]
        expected = math.fsum(present) / len(present) if present and len(present) == len(numbers) else None
        assert (run["rows"], run["rows_expected"]) == (len(present), len(numbers))
        assert run["score"] == (None if expected is None else pytest.approx(expected, abs=1e-15))
    assert found.records.rows_of(rows).sort("row_id").rows() == sorted(
        ((task, row) for task, own in view.items() for row in own), key=lambda each: each[1]
    )


@pytest.mark.parametrize("rows", ["study", *VIEWS])
@pytest.mark.parametrize("reference", list(Reference))
def test_bundles_tell_what_single_rows_tell(snapshot, monkeypatch, reference, rows):
    bundled = answer(snapshot, question_of(reference, rows))
    assert bundled.records.bundles.filter(task_name="T")["bundle_id"].n_unique() < N_ROWS, "rows do go together"

    def each_alone(rows, holders, benchmark_rows):
        return rows.select("row_id", "task_name", bundle_id="row_id").sort("row_id")

    monkeypatch.setattr(prompt_records, "bundle_rows", each_alone)
    alone = answer(snapshot, question_of(reference, rows))
    order = ["task_name", "model_name", "prompt_id"]
    assert_frame_equal(bundled.scores.sort(order), alone.scores.sort(order), abs_tol=1e-15)
    assert_frame_equal(bundled.cells, alone.cells, abs_tol=1e-15)
    assert_frame_equal(bundled.left_out, alone.left_out)
    assert bundled.notes == alone.notes
    told = [read_every_way(each) for each in (bundled, alone)]
    assert_frame_equal(told[0].cells, told[1].cells)
    assert_frame_equal(told[0].readings, told[1].readings, abs_tol=1e-15, check_row_order=False)


def test_rows_that_different_runs_lack_are_told_apart(snapshot):
    """As many runs lack a number on one row as on another; they are not the same runs."""
    found = prompt_records.read_records(snapshot, "study", ["U"])
    bundles = found.bundles.filter(task_name="U")
    assert bundles["bundle_id"].n_unique() == N_ROWS


def test_one_row_keeps_its_score_to_the_last_bit(snapshot):
    found = prompt_records.read_records(snapshot, "study", TASK_NAMES)
    single = found.bundle_scores.filter((pl.col("n_rows") == 1) & pl.col("score_sum").is_not_null())
    held = prompt_records.read_row_scores(snapshot, single["run_id"])
    beside = single.join(held, left_on=["run_id", "bundle_id"], right_on=["run_id", "row_id"])
    assert len(beside) == len(single) > 0
    kept = beside.filter(pl.col("score").abs() > 2**-8)
    assert kept["score_sum"].to_list() == kept["score"].to_list()
