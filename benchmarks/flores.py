"""Ingest at the volume of FloresBitextMining, against mteb loading a few of the same files.

`python benchmarks/flores.py [--models 474] [--peer-models 8]`. SYNTHETIC: every model has one result file of the real
task's rows (about 41,000 language pairs, 13 MB of JSON) with random scores; eight different files are linked under all
model names. Nothing of it is a measurement of a model. Memory is the sum of the peaks of all processes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from ingest import _in_fresh_process

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
TASK = "FloresBitextMining"
DIFFERENT_FILES = 8
METRICS = ("precision", "recall", "f1", "accuracy", "main_score")


def rows_of_task(data: Path) -> list[dict[str, Any]]:
    """Split, subset and languages of every row that mteb describes for the task."""
    from engine.ingest.metadata import mteb_metadata
    from engine.settings import Settings

    rows = mteb_metadata(Settings(data=data)).task_rows.filter(pl.col("task_name") == TASK)
    return rows.select("split", "subset", "languages").to_dicts()


def result_file(rows: list[dict[str, Any]], seed: int) -> str:
    """A result file of all rows with random scores, laid out as mteb writes it."""
    draw = random.Random(seed)
    scores: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        metrics = dict.fromkeys(METRICS, draw.random())
        scores.setdefault(row["split"], []).append(
            {**metrics, "hf_subset": row["subset"], "languages": row["languages"]}
        )
    head = {"dataset_revision": "synthetic", "task_name": TASK, "mteb_version": "2.26.24"}
    return json.dumps({**head, "scores": scores, "evaluation_time": 1.0}, indent=2)


def write_tree(folder: Path, files: list[Path], n_models: int) -> None:
    """A cache tree in which model after model holds one of the files."""
    for number in range(n_models):
        place = folder / "results" / f"synthetic__model-{number:03d}" / "1"
        place.mkdir(parents=True)
        (place / f"{TASK}.json").hardlink_to(files[number % len(files)])
        named = {"name": f"synthetic/model-{number:03d}", "revision": "1"}
        (place / "model_meta.json").write_text(json.dumps(named), encoding="utf-8")


def main() -> None:
    """Writes the trees, measures both, prints the ratio per model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=474)
    parser.add_argument("--peer-models", type=int, default=8)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scorelens-flores-") as kept:
        data, whole, part = Path(kept, "data"), Path(kept, "whole"), Path(kept, "part")
        rows = rows_of_task(data)
        files = [Path(kept, f"{seed}.json") for seed in range(DIFFERENT_FILES)]
        for seed, file in enumerate(files):
            file.write_text(result_file(rows, seed), encoding="utf-8")
        write_tree(whole, files, asked.models)
        write_tree(part, files, asked.peer_models)
        print(f"SYNTHETIC: {asked.models} models x {len(rows):,} rows, {files[0].stat().st_size / 1e6:.1f} MB a file")
        theirs = _in_fresh_process("mteb", part, data)
        ours = _in_fresh_process("build", whole, data)
        snapshot = max(data.glob("snapshots/*.duckdb"), key=lambda path: path.stat().st_mtime)
        a_model, of_mteb = ours["seconds"] / asked.models, theirs["seconds"] / asked.peer_models
        print(f"mteb {of_mteb:.2f} s a model ({asked.peer_models} models, {theirs['rows']:,} rows)")
        print(f"Scorelens {a_model:.2f} s a model, {of_mteb / a_model:.1f} times faster")
        print(
            f"all {asked.models} models and publishing {ours['seconds']:.0f} s, {ours['rows']:,} rows, "
            f"peak {ours['peak_mb']:.0f} MB, snapshot {snapshot.stat().st_size / 1e6:.0f} MB"
        )


if __name__ == "__main__":
    main()
