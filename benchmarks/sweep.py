"""Fifteen prompts by the sweep engine, against mteb's own evaluation once per prompt with the prompt set on the model.

    python benchmarks/sweep.py [--quick] [--threads 2] [--rounds 1] [--model minilm] [--task docstrings] [--prompts 15]

Both do the same runs: default settings, then each prompt. One process at a time, each fresh, on a CPU with a fixed
number of threads; the model is loaded, and mteb's libraries are warm, before the clock runs. The plain loop loads its
model once, not once per prompt. Columns of the table:

- `tokens`: encoded by the engine, over the lower bound, which is the tokens of the distinct strings of all runs as the
  plain loop was heard to encode them.
- `bound`: how many times fewer tokens the lower bound has than the plain loop. Only encoding can become faster by it.
- `clock`: what the bound allows on the clock, scoring taking as long as in the plain loop.
- `faster`: the plain loop's seconds over the engine's. Wanted are 0.8 times what the clock allows, 5 in a corpus of ten
  times its queries under all prompts, 1.2 on symmetric tasks.
- `cpu`: the same of the processor's time, which hardly changes when the machine has other things to do.
- `overhead`: what of the engine's seconds is neither inside the model nor mteb's scoring as the plain loop has it.
- `scores`: the largest difference of a main score; rows above 1e-6 are named below.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

MODELS = {"minilm": "MiniLM", "e5": "e5-q4"}
TASKS = ("docstrings", "pairs", "bitext")
"""A corpus of ten times its queries; a symmetric task whose texts recur; one whose texts do not."""
ALL_PROMPTS = 15
TOLERANCE = 1e-6
MOST_TOKENS = 1.02
SHARE_OF_BOUND = 0.8
TEN_TIMES, SYMMETRIC = 5.0, 1.2
MOST_OVERHEAD = 0.05


@dataclass(frozen=True)
class Cell:
    """One model on one task, measured both ways; times are medians over the rounds."""

    model: str
    task: str
    n_prompts: int
    loop: Mapping[str, float]
    engine: Mapping[str, float]
    differences: Mapping[str, float]
    """Absolute difference of main scores, by setting and row."""

    @property
    def tokens(self) -> float:
        """Tokens that the engine encoded, over the lower bound."""
        return self.engine["tokens"] / self.loop["distinct_tokens"]

    @property
    def bound(self) -> float:
        """How many times fewer tokens the lower bound has."""
        return self.loop["tokens"] / self.loop["distinct_tokens"]

    @property
    def scoring(self) -> float:
        """Seconds of the plain loop outside the model."""
        return self.loop["seconds"] - self.loop["encode_seconds"]

    @property
    def clock(self) -> float:
        """How much faster the lower bound lets the clock be."""
        return self.loop["seconds"] / (self.loop["encode_seconds"] / self.bound + self.scoring)

    @property
    def faster(self) -> float:
        """How much faster the engine was."""
        return self.loop["seconds"] / self.engine["seconds"]

    @property
    def cpu(self) -> float:
        """How much less of the processor's time the engine took."""
        return self.loop["cpu_seconds"] / self.engine["cpu_seconds"]

    @property
    def overhead(self) -> float:
        """Share of the engine's time that is neither encoding nor mteb's scoring; below zero = scoring was faster."""
        return 1 - (self.engine["encode_seconds"] + self.scoring) / self.engine["seconds"]

    @property
    def wanted(self) -> float:
        """How much faster it is to be."""
        least = SYMMETRIC if self.task != "docstrings" else TEN_TIMES if self.n_prompts == ALL_PROMPTS else 1.0
        return max(least, SHARE_OF_BOUND * self.clock)

    @property
    def verdict(self) -> str:
        """What of the aims is missed; `ok` = nothing."""
        misses = {
            "tokens": self.tokens > MOST_TOKENS,
            "faster": self.faster < self.wanted,
            "overhead": self.overhead > MOST_OVERHEAD,
        }
        missed = [name for name, is_missed in misses.items() if is_missed]
        return f"missed: {', '.join(missed)}" if missed else "ok"


def main() -> None:
    """Measures each cell both ways, one process after the other, and prints the table."""
    asked = _asked()
    print(f"{asked.prompts} prompts and default settings, {asked.threads} threads, {asked.rounds} rounds")
    print(f"{'model':8}{'task':12}{'loop':>9}{'engine':>9}{'tokens':>8}{'bound':>8}{'clock':>8}{'faster':>8}"
          f"{'wanted':>8}{'cpu':>8}{'overhead':>10}{'scores':>9}")  # fmt: skip
    cells = [_measure_cell(asked, model, task) for model in asked.model for task in asked.task]
    far = [
        f"{cell.model} {cell.task} {row}: {difference:.1e}"
        for cell in cells
        for row, difference in cell.differences.items()
        if difference > TOLERANCE
    ]
    print("Scores that amplify batching noise: " + ("; ".join(far) or "none"))
    sys.exit(any(cell.verdict != "ok" for cell in cells))


def _asked() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="MiniLM and few prompts: a look, no measurement")
    options.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    options.add_argument(
        "--rounds", type=int, default=1, help="measurements of each, taken in turns; the median counts"
    )
    options.add_argument("--model", action="append", choices=MODELS)
    options.add_argument("--task", action="append", choices=TASKS)
    options.add_argument("--prompts", type=int, help="how many of the prompts; all = 15")
    options.add_argument("--measure", choices=("loop", "engine"), help=argparse.SUPPRESS)
    asked = options.parse_args()
    asked.model = asked.model or (["minilm"] if asked.quick else list(MODELS))
    asked.task = asked.task or list(TASKS)
    asked.prompts = asked.prompts or (4 if asked.quick else ALL_PROMPTS)
    if asked.measure:
        print(json.dumps(_MEASURES[asked.measure](asked)))
        sys.exit()
    return asked


def _measure_cell(asked: argparse.Namespace, model: str, task: str) -> Cell:
    rounds = [
        {way: _in_fresh_process(asked, way, model, task) for way in ("loop", "engine")} for _ in range(asked.rounds)
    ]
    theirs, ours = (rounds[0][way].pop("scores") for way in ("loop", "engine"))
    loop, engine = (
        {name: statistics.median(each[way][name] for each in rounds) for name in rounds[0][way]}
        for way in ("loop", "engine")
    )
    differences = {row: abs(theirs[row] - ours[row]) for row in theirs}
    cell = Cell(model, task, asked.prompts, loop, engine, differences)
    print(
        f"{MODELS[model]:8}{task:12}{loop['seconds']:8.1f}s{engine['seconds']:8.1f}s{cell.tokens:8.3f}{cell.bound:8.2f}"
        f"{cell.clock:8.2f}{cell.faster:8.2f}{cell.wanted:8.2f}{cell.cpu:8.2f}{cell.overhead:10.1%}{max(differences.values()):9.0e}"
        f"  {cell.verdict}",
        flush=True,
    )
    return cell


def _in_fresh_process(asked: argparse.Namespace, way: str, model: str, task: str) -> dict[str, Any]:
    threads = str(asked.threads)
    pinned = {
        name: threads for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    }
    command = [sys.executable, __file__, "--measure", way, "--model", model, "--task", task, "--threads", threads]
    command += ["--prompts", str(asked.prompts)]
    environment = {**os.environ, **pinned, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _measure_loop(asked: argparse.Namespace) -> dict[str, Any]:
    from sweep_runs import measure_loop

    return measure_loop(asked.model[0], asked.task[0], asked.prompts, asked.threads)


def _measure_engine(asked: argparse.Namespace) -> dict[str, Any]:
    from sweep_runs import measure_engine

    with tempfile.TemporaryDirectory(prefix="scorelens-sweep-") as kept:
        return measure_engine(Path(kept), asked.model[0], asked.task[0], asked.prompts, asked.threads)


_MEASURES = {"loop": _measure_loop, "engine": _measure_engine}

if __name__ == "__main__":
    main()
