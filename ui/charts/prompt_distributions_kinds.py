"""Kinds of prompt: which score higher, which hold the scores still, and how generated ones fare against handwritten."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_sets import authorship
from ui.charts.prompt_distributions import limits, model_order, prompt_text, task_order
from ui.charts.short_names import short_names, short_task
from ui.charts.strips import Mark, Panel, Picture, Row, Text
from ui.formats import counted, label, number, signed_points

MOST_CELLS = 12


def kind_order(kinds: pl.DataFrame) -> list[str]:
    """Kinds by how far their mean lies above the median prompt, on average over cells, best first."""
    means = kinds.group_by("prompt_kind").agg(pl.col("from_median").mean())
    return means.sort("from_median", "prompt_kind", descending=[True, False])["prompt_kind"].to_list()


def kind_panels(kinds: pl.DataFrame, cells: pl.DataFrame) -> Picture:
    """A panel a model, a row a kind, a dot a task: how many points the kind lies above that cell's median prompt."""
    order, tasks = kind_order(kinds), task_order(cells)
    panels = []
    for model in model_order(cells):
        own = kinds.filter(pl.col("model_name") == model)
        rows = [_kind_row(own.filter(pl.col("prompt_kind") == kind), kind, model, tasks) for kind in order]
        panels.append(Panel(model, [row for row in rows if row.values], 0, 0, label(model), "points"))
    common = limits([row for panel in panels for row in panel.rows])
    texts = [Text(task, "mean of the kind on this task", task) for task in tasks]
    says = f"Kinds of prompt against the median prompt, {counted(len(panels), 'model')}"
    panels = [replace(panel, lo=min(common[0], 0), hi=max(common[1], 0)) for panel in panels]
    return Picture(panels, says, texts, line=0.0, away="the median prompt")


def _kind_row(kinds: pl.DataFrame, kind: str, model: str, tasks: Sequence[str]) -> Row:
    ordered = kinds.sort("from_median", "task_name")
    values = [gain * 100 for gain in ordered["from_median"]]
    mean = statistics.fmean(values) if values else None
    return Row(
        id=kind,
        label=kind,
        name=f"{kind}, {label(model)}",
        says=f"{kind} prompts of {label(model)}: {signed_points(mean / 100 if mean is not None else None)} points",
        values=values,
        texts=[tasks.index(task) for task in ordered["task_name"]],
        median=mean,
        columns=(signed_points(mean / 100) if mean is not None else "",),
    )


def prompt_kind_panels(answer: PromptDistributions) -> Picture:
    """For one task: a panel a model, a row a kind, a dot a prompt, with median and figures of the kind."""
    described = list(answer.prompts.iter_rows(named=True))
    kinds = sorted({prompt["prompt_kind"] for prompt in described})
    groups = {prompt["prompt_id"]: prompt["prompt_kind"] for prompt in described}
    return _grouped(answer, groups, kinds, f"Scores by kind of prompt on {answer.cells['task_name'][0]}")


def author_panels(answer: PromptDistributions, models: Sequence[str]) -> Picture:
    """A panel a task; for each model its generated and its handwritten prompts, a dot each."""
    told = answer.prompts.select("task_name", "prompt_id", author=authorship(pl.col("generators")))
    author = {(task, prompt): who for task, prompt, who in told.iter_rows()}
    places, texts = _texts(answer)
    short = short_names(models)
    panels = []
    for task in task_order(answer.cells):
        rows = []
        for model in models:
            own = _scores(answer, model, task)
            for who in sorted({author[task, prompt] for prompt, _ in own}):
                group = [(prompt, score) for prompt, score in own if author[task, prompt] == who]
                words = {"id": f"{model} {who}", "label": f"{short[model]}, {who}", "name": f"{label(model)}, {who}"}
                rows.append(_group_row(group, places, task, **words))
        if rows:
            panels.append(Panel(task, rows, *limits(rows), title=task))
    says = f"Generated and handwritten prompts on {counted(len(panels), 'task')}"
    return Picture(panels, says, texts, clickable=False)


def _grouped(answer: PromptDistributions, groups: Mapping[str, str], order: Sequence[str], says: str) -> Picture:
    task = answer.cells["task_name"][0]
    places, texts = _texts(answer)
    panels = []
    for model in model_order(answer.cells):
        own = _scores(answer, model, task)
        rows = []
        for name in order:
            group = [(prompt, score) for prompt, score in own if groups[prompt] == name]
            if group:
                rows.append(_group_row(group, places, task, id=name, label=name, name=f"{label(model)}, {name}"))
        panels.append(Panel(model, rows, *limits(rows), title=label(model), note="median"))
    return Picture(panels, says, texts, clickable=False)


def _scores(answer: PromptDistributions, model: str, task: str) -> list[tuple[str, float]]:
    own = answer.scores.filter(
        pl.col("model_name") == model, pl.col("task_name") == task, pl.col("score").is_not_null()
    )
    return list(own.select("prompt_id", "score").iter_rows())


def _texts(answer: PromptDistributions) -> tuple[dict[tuple[str, str], int], list[Text]]:
    known = list(answer.prompts.iter_rows(named=True))
    places = {(prompt["task_name"], prompt["prompt_id"]): place for place, prompt in enumerate(known)}
    return places, [prompt_text(prompt) for prompt in known]


def _group_row(
    group: Sequence[tuple[str, float]], places: Mapping[tuple[str, str], int], task: str, **words: Any
) -> Row:
    values = [score * 100 for _, score in group]
    middle = statistics.median(values)
    return Row(
        says=f"{words['name']}: median {number(middle, 1)} over {counted(len(values), 'prompt')}",
        values=values,
        texts=[places[task, prompt] for prompt, _ in group],
        median=middle,
        columns=(number(middle, 1),),
        note=f"n {len(values)}",
        **words,
    )


def kind_cv_strips(kinds: pl.DataFrame, cells: pl.DataFrame) -> Picture:
    """A row a cell, those that vary most first: CV within each kind as named dots, CV of all prompts as the mark."""
    widest = cells.filter(pl.col("cv").is_not_null()).sort(
        "cv", "task_name", "model_name", descending=[True, False, False]
    )
    names = kinds["prompt_kind"].unique().sort().to_list()
    texts = [Text(f"{kind} prompts alone", "coefficient of variation within the kind", kind) for kind in names]
    short = short_names(model_order(cells))
    rows = [
        _cv_row(cell, kinds, names, f"{short[cell['model_name']]}, {short_task(cell['task_name'])}")
        for cell in widest.head(MOST_CELLS).iter_rows(named=True)
    ]
    shown = [row for row in rows if row.values]
    top = limits(shown)[1]
    says = f"Coefficient of variation within kinds of prompt against all prompts, {counted(len(shown), 'cell')}"
    heads = ("all prompts", "steadiest kind")
    return Picture([Panel("kinds", shown, 0.0, top)], says, texts, heads, suffix=" %", wide=True, low_rows=True)


def _cv_row(cell: Mapping[str, Any], kinds: pl.DataFrame, names: Sequence[str], short: str) -> Row:
    same = (pl.col("model_name") == cell["model_name"]) & (pl.col("task_name") == cell["task_name"])
    own = kinds.filter(same & pl.col("cv").is_not_null()).sort("cv", "prompt_kind")
    values = [cv * 100 for cv in own["cv"]]
    found = own["prompt_kind"].to_list()
    who = f"{label(cell['model_name'])}, {cell['task_name']}"
    steadiest = f"{found[0]} {number(values[0], 1)}" if values else ""
    return Row(
        id=f"{cell['model_name']}\n{cell['task_name']}",
        label=short,
        name=who,
        says=f"{who}: CV {number(cell['cv'] * 100, 1)} % over all prompts, {steadiest} % in the steadiest kind",
        values=values,
        texts=[names.index(kind) for kind in found],
        marks=[Mark(cell["cv"] * 100, "harness", f"all {cell['n']} prompts")],
        named=list(enumerate(found))[:1],
        columns=(number(cell["cv"] * 100, 1), steadiest),
    )
