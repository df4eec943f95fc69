"""How much the scores of each model vary over prompts: one strip a model, one dot a task, the long tail by name."""

from __future__ import annotations

import statistics

import polars as pl

from engine.analysis.variation import WIDE
from ui.charts.prompt_distributions import model_order
from ui.charts.short_names import short_task
from ui.charts.strips import Panel, Picture, Row, Text
from ui.formats import counted, label, number


def cv_strips(cells: pl.DataFrame, *, named_from: float = WIDE) -> Picture:
    """A row a model, a dot a task, a tick at the median; tasks from `named_from` on are named. Values in per cent."""
    known = cells.filter(pl.col("cv").is_not_null())
    tasks = known["task_name"].unique().sort().to_list()
    rows = [_cv_row(known.filter(pl.col("model_name") == model), tasks, named_from) for model in model_order(known)]
    top = max((value for row in rows for value in row.values), default=10.0)
    texts = [Text(task, "coefficient of variation over its prompts", task) for task in tasks]
    says = f"Coefficient of variation over prompts of {counted(len(rows), 'model')}, one dot a task"
    panel = Panel("variation", rows, 0.0, top)
    return Picture([panel], says, texts, ("median", "largest"), suffix=" %", wide=True, low_rows=True)


def _cv_row(cells: pl.DataFrame, tasks: list[str], named_from: float) -> Row:
    ordered = cells.sort("cv", "task_name")
    model = ordered["model_name"][0]
    values = [cv * 100 for cv in ordered["cv"]]
    names = ordered["task_name"].to_list()
    median = statistics.median(values)
    says = f"{label(model)}: median {number(median, 1)} %, largest {number(values[-1], 1)} % on {names[-1]}"
    tail = [place for place, value in enumerate(values) if value >= named_from * 100]
    return Row(
        id=model,
        label=label(model),
        name=label(model),
        says=says,
        values=values,
        texts=[tasks.index(task) for task in names],
        median=median,
        named=[(place, f"{short_task(names[place])} {number(values[place])}") for place in tail],
        columns=(number(median, 1), number(values[-1], 1)),
    )
