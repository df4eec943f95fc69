"""Answers: what does a language cost in tokens? Read from the files of counts, so no model is loaded for it."""

from __future__ import annotations

import json

import polars as pl

from engine.analysis.tokenization import COUNT_FRAME, token_costs
from engine.errors import SourceError
from engine.settings import Settings

_PLACE = 3
"""Parts of a file's path that say texts, model and revision."""


def answer(settings: Settings) -> pl.DataFrame:
    """All token costs that were counted, as `token_costs` has them.

    Raises:
        SourceError: A file of counts cannot be read.
    """
    rows = []
    for path in sorted((settings.results / "tokens").glob("*/*/*.jsonl")):
        texts_name, model, _ = path.parts[-_PLACE:]
        try:
            for line in path.read_text("utf-8").splitlines():
                said = {"texts_name": texts_name, "model_name": model.replace("__", "/"), "model_revision": path.stem}
                rows.append({**json.loads(line), **said})
        except (ValueError, TypeError) as error:
            raise SourceError(f"{path} holds no counts ({error}). Delete it and count again.") from error
    return token_costs(pl.DataFrame(rows, schema=COUNT_FRAME))
