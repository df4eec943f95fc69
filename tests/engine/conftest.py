"""Small trees of made-up results, for tests that need no real data."""

import json
from pathlib import Path

import pytest


class Tree:
    """A cache tree that tests write to, file by file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "results").mkdir(parents=True)

    def run(self, model: str, task: str, rows: dict, *, revision="r1", prompt: str | None = None, name="") -> Path:
        """Write one result: `rows` maps (split, subset) to the main score; a prompt makes it an experiment."""
        where = self.folder / "results" / model.replace("/", "__") / revision
        if prompt is not None:
            where = where / "experiments" / (name or f"exp_{abs(hash(prompt)):x}")
        where.mkdir(parents=True, exist_ok=True)
        meta: dict = {"name": model, "revision": revision}
        if prompt is not None:
            meta["experiment_kwargs"] = {"prompts": {task: prompt}}
        (where / "model_meta.json").write_text(json.dumps(meta))
        scores: dict = {}
        for (split, subset), score in rows.items():
            row = {"hf_subset": subset, "languages": ["eng-Latn"], "main_score": score}
            scores.setdefault(split, []).append(row)
        result = {"task_name": task, "dataset_revision": "d1", "mteb_version": "2.1.0", "scores": scores}
        path = where / f"{task}.json"
        path.write_text(json.dumps({**result, "evaluation_time": 1.5}))
        return path


@pytest.fixture
def tree(tmp_path) -> Tree:
    return Tree(tmp_path / "tree")


@pytest.fixture
def without_mteb(monkeypatch) -> None:
    """Builds as on a machine where mteb is not installed: no metadata, and fast."""
    monkeypatch.setattr("engine.pipeline.mteb_version", lambda: None)
    monkeypatch.setattr("engine.ingest.metadata.mteb_version", lambda: None)
    monkeypatch.setattr("engine.ingest.old_format.mteb_version", lambda: None)
