"""Cache trees written file by file, and their harvest."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from engine.ingest.harvest import Harvest
from engine.ingest.mteb_results import read_results
from engine.ingest.scan import scan_source
from engine.schema import FILES, SourceKind

TYPES = {"Find": "Retrieval", "Find-All": "Retrieval", "Sort": "Classification", "Like": "STS"}


class Cache:
    """A cache tree that a test fills, and reads."""

    def __init__(self, folder: Path, settings) -> None:
        self.folder = folder
        self.settings = settings

    def write(self, path: str, content: Any) -> None:
        """Writes bytes, a text, or a value as JSON."""
        where = self.folder / "results" / path
        where.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        where.write_bytes(content if isinstance(content, bytes) else content.encode())

    def result(self, path: str, task: str, *scores: float | None, **fields: Any) -> None:
        """Writes a result with one subset a score."""
        rows = [
            {"hf_subset": f"s{n}", "languages": ["eng-Latn"], "main_score": score} for n, score in enumerate(scores)
        ]
        result = {"task_name": task, "dataset_revision": "d", "mteb_version": "2.1.0", "evaluation_time": 1.5}
        self.write(path, {**result, "scores": {"test": rows}, **fields})

    def experiment(self, name: str, prompts: Any, *tasks: str) -> None:
        """Writes an experiment of model m/a with results for some tasks."""
        folder = f"m__a/r1/experiments/{name}"
        self.write(
            f"{folder}/model_meta.json", {"name": "m/a", "revision": "r1", "experiment_kwargs": {"prompts": prompts}}
        )
        for task in tasks:
            self.result(f"{folder}/{task}.json", task, 0.5)

    def read(self) -> Harvest:
        """The harvest of the whole tree."""
        types = pl.DataFrame({"task_name": list(TYPES), "task_type": list(TYPES.values())})
        scan = scan_source(self.folder, SourceKind.CACHE, FILES.schema.to_frame())
        return read_results(self.settings, "s", self.folder, scan, types)


@pytest.fixture
def cache(tmp_path, settings) -> Cache:
    return Cache(tmp_path / "cache", settings)
