"""Small trees of made-up results, for tests that need no real data."""

import hashlib
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
            where = where / "experiments" / (name or f"exp_{hashlib.sha256(prompt.encode()).hexdigest()[:16]}")
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


def forget_mteb(patch: pytest.MonkeyPatch) -> None:
    for module in ("engine.build_plan", "engine.ingest.metadata", "engine.ingest.old_format"):
        patch.setattr(f"{module}.mteb_version", lambda: None)
