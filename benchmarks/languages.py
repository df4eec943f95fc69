"""Language scores against the clock: what-if questions over all models and languages, beside mteb's own table.

`python benchmarks/languages.py [--rounds 15]`. Builds a store from mteb's frame of MTEB(Multilingual, v2), found
through SCORELENS_SHARED (default `../shared` beside the checkout), in a folder that is thrown away. Medians in one
process, imports not counted. The peer is mteb's `_create_per_language_table_from_benchmark_results` on the same
frame; for a what-if it is given the frame without the task, and the time to take the task out is not counted.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.analysis.contamination import declared_weight, read_declarations  # noqa: E402
from engine.analysis.language_composition import compose  # noqa: E402
from engine.analysis.language_disagreement import compare_orders  # noqa: E402
from engine.analysis.language_records import LanguageRecords  # noqa: E402
from engine.analysis.language_scores import Weight, WhatIf, score_languages  # noqa: E402
from engine.analysis.language_shortlist import Purpose, list_models  # noqa: E402
from engine.analysis.language_table import tabulate_languages  # noqa: E402
from engine.analysis.language_what_if import compare_what_if, leave_each_out  # noqa: E402
from engine.answers.language_composition import LanguageQuestion, read  # noqa: E402
from engine.answers.language_rows import read_language_rows  # noqa: E402
from engine.pipeline import build  # noqa: E402
from engine.settings import Settings  # noqa: E402
from engine.sources import add_source  # noqa: E402
from engine.store import Snapshot, open_snapshot  # noqa: E402

SHARED = Path(os.environ.get("SCORELENS_SHARED") or ROOT.parent / "shared")
FRAME = SHARED / "data" / "mteb_multilingual_v2_long.parquet"
MODEL, LANGUAGE, TASK = "Qwen/Qwen3-Embedding-8B", "eng-Latn", "BibleNLPBitextMining"
TARGET = "50 ms"


def median_seconds(run: Callable[[], object], rounds: int) -> float:
    """Median wall time of some runs, after one that warms up."""
    run()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def questions(snapshot: Snapshot, records: LanguageRecords) -> dict[str, Callable[[], object]]:
    """What the page asks of records that were read, by name."""
    without = WhatIf(drop_tasks=(TASK,))
    view = records.settings
    return {
        f"what if: one task dropped, all models and languages, wide (target {TARGET})": lambda: score_languages(
            records, without
        ).wide(),
        "  the same, before and after": lambda: compare_what_if(records, without),
        "  weighted by task type instead": lambda: score_languages(records, WhatIf(weight=Weight.TASK_TYPE)).wide(),
        "mteb's table, all models and languages, wide": lambda: score_languages(records).wide(),
        "  as rows, with what each score stands on": lambda: tabulate_languages(records, score_languages(records)),
        "one model in one language": lambda: compose(records, MODEL, LANGUAGE),
        "  each task left out in turn": lambda: leave_each_out(records, MODEL, LANGUAGE),
        "  its single rows, from the store": lambda: read_language_rows(snapshot, view, MODEL, LANGUAGE),
        "short list for search in two languages": lambda: list_models(
            records, read_declarations(records), ("deu-Latn", "hin-Deva"), Purpose.SEARCH
        ),
        "declared share of every score": lambda: declared_weight(records, read_declarations(records)),
        "agreement of 20 languages with the leaderboard and each other": lambda: compare_orders(
            records, score_languages(records), records.view
        ),
    }


def peers(frame: pl.DataFrame) -> dict[str, Callable[[], object]]:
    """What mteb takes for the same tables."""
    from mteb.benchmarks._create_table import _create_per_language_table_from_benchmark_results as per_language

    without = frame.filter(pl.col("task_name") != TASK)
    return {
        "mteb: its table": lambda: per_language(frame, "all"),
        "mteb: its table without the task": lambda: per_language(without, "all"),
    }


def main() -> None:
    """Reads the command line and prints the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="scorelens-benchmark-") as folder:
        settings = Settings(data=Path(folder))
        add_source(settings, FRAME, "board")
        build(settings)
        snapshot = open_snapshot(settings)
        size = snapshot.path.stat().st_size / 1e6
        started = time.perf_counter()
        records = read(snapshot, LanguageQuestion())
        print(f"{FRAME.name}: {len(records.sums.model_names)} models, store {size:.0f} MB")
        print(f"records read once a snapshot and benchmark: {(time.perf_counter() - started) * 1e3:.0f} ms")
        for name, run in questions(snapshot, records).items():
            print(f"{median_seconds(run, rounds) * 1e3:8.1f} ms  {name}")
        snapshot.close()
    for name, run in peers(pl.read_parquet(FRAME)).items():
        print(f"{median_seconds(run, max(3, rounds // 3)) * 1e3:8.1f} ms  {name}")
    print(
        f"peak memory, mteb and its frame included: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )


if __name__ == "__main__":
    main()
