"""Prompts of a file that a reader would take for one another: pointed out before they run, and never merged."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from engine.ingest.prompts import duplicate_prompts
from engine.sweep.prompting import Prompt


def twin_prompts(prompts: Sequence[Prompt]) -> pl.DataFrame:
    """One row per prompt that is like an earlier one of its task and side.

    Columns: `task_name`, `likeness` (exact, case or near), `record` and `prompt_text`, `twin_record` and `twin_text`;
    records are counted from 1.
    """
    rows = [
        (prompt.task_name, prompt.prompt_type and str(prompt.prompt_type), prompt.text, f"{number:08}")
        for number, prompt in enumerate(prompts, start=1)
    ]
    columns = ["task_name", "prompt_type", "prompt_text", "prompt_id"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String()), orient="row")
    return duplicate_prompts(frame).select(
        "task_name",
        "likeness",
        pl.col("prompt_id").cast(pl.Int64).alias("record"),
        "prompt_text",
        pl.col("twin_id").cast(pl.Int64).alias("twin_record"),
        "twin_text",
    )
