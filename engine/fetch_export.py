"""The child process that loads mteb's leaderboard frame: `python -m engine.fetch_export ORIGIN TARGET`.

The frame's address and layout are mteb's business, so mteb itself loads it. Importing mteb takes
seconds and much memory; a child keeps both out of the engine.
"""

from __future__ import annotations

import sys
from pathlib import Path

KEY = ("model_name", "model_revision", "task_name", "split", "subset", "experiments")


def export_frame(origin: str, target: Path) -> None:
    """Write the frame of a data set on the hub, or of a local Parquet file, to a Parquet file.

    The hub's frame repeats a score for every benchmark that contains it, and pads what a benchmark misses;
    each score is written once, padding not at all.
    """
    from mteb.results.benchmark_results import BenchmarkResults

    frame = BenchmarkResults.load_leaderboard_frame(origin, from_hub=not Path(origin).is_file())
    key = [column for column in KEY if column in frame.columns]
    scores = frame.drop_nulls("score").unique(key, keep="first", maintain_order=True)
    scores.select(*key, "language", "score").write_parquet(target)


if __name__ == "__main__":
    try:
        export_frame(sys.argv[1], Path(sys.argv[2]))
    except Exception as error:
        # The parent shows the last line to people: a sentence, not a traceback.
        sys.exit(" ".join(f"{type(error).__name__}: {error}".split()))
