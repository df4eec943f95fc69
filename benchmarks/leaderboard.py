"""The leaderboard's analyses against the clock, and Borda ranks against mteb's own summary table.

`python benchmarks/leaderboard.py [--rounds 7]`. Medians of rounds in one process, imports not counted. The peer is
mteb's `_create_summary_table` on its own frame of MTEB(Multilingual, v2), found through SCORELENS_SHARED (default
`../shared` beside the checkout); without the frame a synthetic one of the same shape stands in. Prompt studies are
synthetic: only their size matters.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("SCORELENS_SHARED") or ROOT.parent / "shared")
FRAME = SHARED / "data" / "mteb_multilingual_v2_long.parquet"
TARGETS = {
    "a full scenario, 6 models × 11 tasks × 40 prompts": "10 ms",
    "b 20,000 draws of the same": "150 ms",
    "c Borda ranks from stored task means": "30 ms, 20 times faster than mteb",
    "c 2,000-resample simultaneous intervals, all models": "1.5 s",
    "d 20,000 draws, 100 models × 131 tasks × 20 prompts": "5 s, 1 GB",
}


def median_seconds(run: Callable[[], object], rounds: int) -> float:
    """Median wall time of some runs, after one that warms up."""
    run()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def synthetic_study(n_models: int, n_tasks: int, n_prompts: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Prompt scores and default scores of a made-up study, as frames."""
    stream = np.random.default_rng(0)
    skill = 0.6 + 0.05 * stream.normal(size=(n_models, 1, 1))
    scores = skill + 0.03 * stream.normal(size=(n_models, n_tasks, n_prompts + 1))
    model, task, prompt = np.indices(scores.shape)
    rows = pl.DataFrame(
        {
            "model_name": [f"m{i:03d}" for i in model.ravel()],
            "task_name": [f"t{i:03d}" for i in task.ravel()],
            "task_type": [f"type {i % 8}" for i in task.ravel()],
            "prompt_id": [f"{t}-{p}" for t, p in zip(task.ravel(), prompt.ravel(), strict=True)],
            "score": scores.ravel(),
            "prompt": prompt.ravel(),
        }
    )
    return rows.filter(pl.col("prompt") > 0).drop("prompt"), rows.filter(pl.col("prompt") == 0).drop(
        "prompt", "prompt_id"
    )


def measure_studies(rounds: int) -> dict[str, float]:
    """Scenario (cube, movement, all targets) and draws of a study of the real one's size."""
    from engine.analysis.leaderboard_simulator import Scenario, rank_targets, simulate_scenario
    from engine.analysis.prompt_selection import build_prompt_cube
    from engine.analysis.rank_probabilities import compute_rank_probabilities

    frames = synthetic_study(6, 11, 40)
    cube = build_prompt_cube(*frames)

    def scenario() -> None:
        built = build_prompt_cube(*frames)
        simulate_scenario(built, "m000", Scenario.BEST_VS_WORST)
        rank_targets(built)

    return {
        "a full scenario, 6 models × 11 tasks × 40 prompts": median_seconds(scenario, 5 * rounds),
        "b 20,000 draws of the same": median_seconds(lambda: compute_rank_probabilities(cube), rounds),
    }


def measure_board(rounds: int) -> dict[str, float]:
    """Ranks and intervals of all models of a published board, and mteb's summary table on the same frame."""
    from mteb.benchmarks._create_table import _create_summary_table

    from engine.analysis.rank_intervals import compute_rank_intervals
    from engine.analysis.ranking import build_score_matrix, rank_models

    logging.disable(logging.WARNING)
    frame = pl.read_parquet(FRAME) if FRAME.exists() else _synthetic_board()
    scores = _task_means(frame)
    matrix = build_score_matrix(scores)
    every_model = {"n_resamples": 2_000, "only_complete": False}
    return {
        "c Borda ranks from stored task means": median_seconds(lambda: rank_models(build_score_matrix(scores)), rounds),
        "c mteb's summary table": median_seconds(lambda: _create_summary_table(frame), max(rounds // 2, 1)),
        "c 2,000-resample simultaneous intervals, all models": median_seconds(
            lambda: compute_rank_intervals(matrix, **every_model), rounds
        ),
        "c the same, complete models": median_seconds(lambda: compute_rank_intervals(matrix), rounds),
    }


def measure_large() -> dict[str, float]:
    """20,000 draws of a large synthetic study, with the memory of the process."""
    from engine.analysis.prompt_selection import build_prompt_cube
    from engine.analysis.rank_probabilities import compute_rank_probabilities

    cube = build_prompt_cube(*synthetic_study(100, 131, 20))
    seconds = median_seconds(lambda: compute_rank_probabilities(cube), 3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"d 20,000 draws, 100 models × 131 tasks × 20 prompts": seconds, "d peak memory, GB": peak}


def _task_means(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per model and task, as the store answers."""
    held = frame.filter(pl.col("score").is_not_null())
    expected = held.group_by("task_name").agg(rows_expected=pl.struct("split", "subset").n_unique())
    means = held.group_by("model_name", "task_name").agg(
        pl.col("score").mean(), rows=pl.struct("split", "subset").n_unique(), task_type=pl.lit("any")
    )
    return means.join(expected, on="task_name")


def _synthetic_board() -> pl.DataFrame:
    import mteb

    tasks = [task.metadata.name for task in mteb.get_benchmark("MTEB(Multilingual, v2)").tasks]
    stream = np.random.default_rng(0)
    models = [f"m{i:03d}" for i in range(474)]
    return pl.DataFrame(
        [
            (model, task, "test", f"s{subset}", float(stream.random()))
            for model in models
            for task in tasks
            for subset in range(15)
        ],
        schema=["model_name", "task_name", "split", "subset", "score"],
        orient="row",
    )


def in_fresh_process(part: str, rounds: int) -> dict[str, float]:
    """One part of the measurements, so that memory is its own."""
    call = [sys.executable, __file__, "--part", part, "--rounds", str(rounds)]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def main() -> None:
    """Print one line a measurement with its target, then the ratio against mteb."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--part", choices=("studies", "board", "large"))
    asked = parser.parse_args()
    if asked.part:
        sys.path.insert(0, str(ROOT))
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "studies": lambda: measure_studies(asked.rounds),
            "board": lambda: measure_board(asked.rounds),
            "large": measure_large,
        }
        print(json.dumps(parts[asked.part]()))
        return
    if not FRAME.exists():
        print(f"No frame at {FRAME}: a synthetic one stands in for mteb's.")
    measured: dict[str, float] = {}
    for part in ("studies", "board", "large"):
        measured |= in_fresh_process(part, asked.rounds)
    for name, value in measured.items():
        shown = f"{value:.2f}" if "GB" in name else f"{value * 1000:,.1f} ms"
        print(f"{name:58} {shown:>12}   {'target ' + TARGETS[name] if name in TARGETS else ''}")
    ratio = measured["c mteb's summary table"] / measured["c Borda ranks from stored task means"]
    print(f"Borda ranks: {ratio:.0f} times faster than mteb's summary table on the same frame (target 20)")


if __name__ == "__main__":
    main()
