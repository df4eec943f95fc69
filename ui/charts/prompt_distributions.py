"""Distributions of prompt scores as strips: small panels by task, or one task, or one model, a dot for every prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import polars as pl

from engine.analysis.conditions import OFF_LABEL
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.references import Reference
from ui.charts.short_names import short_names
from ui.charts.strips import MOST_DOTS, Mark, Panel, Picture, Row, Text
from ui.charts.theme import GLYPHS, TASK_TYPES
from ui.formats import counted, label, of, points, shortened, signed_points

Scale = Literal["own", "reference"]
REFERENCE_WORDS: Mapping[Reference, str] = {
    Reference.SAME_HARNESS: "default prompt, same harness",
    Reference.PUBLISHED_MATCHED: "published score, same rows",
    Reference.PUBLISHED_ALL: "published score, all its rows",
}
SHORT_WORDS: Mapping[Reference, str] = {
    Reference.SAME_HARNESS: "default prompt",
    Reference.PUBLISHED_MATCHED: "published score",
    Reference.PUBLISHED_ALL: "published score",
}
HEADS: Mapping[Reference, str] = {
    Reference.SAME_HARNESS: "default",
    Reference.PUBLISHED_MATCHED: "published",
    Reference.PUBLISHED_ALL: "published",
}
LONGEST_HOVER = 300
ROWS_WITH_ENDS = 12
ROOMY_UNTIL = 24
"""So few cells leave room for larger panels and whole names."""


def model_order(cells: pl.DataFrame) -> list[str]:
    """The models by their mean over tasks of the median prompt, best first: the same order in every panel."""
    means = cells.group_by("model_name").agg(pl.col("median").mean())
    return means.sort("median", "model_name", descending=[True, False], nulls_last=True)["model_name"].to_list()


def task_order(cells: pl.DataFrame) -> list[str]:
    """The tasks by type, then by name."""
    types = dict(cells.select("task_name", "task_type").unique().sort("task_name").iter_rows())
    place = {task_type: number for number, task_type in enumerate(TASK_TYPES)}
    return sorted(types, key=lambda task: (place.get(types[task] or "", len(place)), types[task] or "", task))


def task_panels(shown: PromptDistributions, *, scale: Scale = "own") -> Picture:
    """Small multiples: a panel a task, a row a model, the reference's score at the right.

    `scale="own"` gives each task its own axis; `scale="reference"` puts all on one axis of points from the reference.
    """
    drawing = _Drawing(shown, scale)
    roomy = len(shown.cells) <= ROOMY_UNTIL
    names = {model: label(model) for model in drawing.models} if roomy else short_names(drawing.models)
    cells = {(cell["model_name"], cell["task_name"]): cell for cell in shown.cells.iter_rows(named=True)}
    panels = []
    for task in drawing.tasks:
        in_task = [cells[model, task] for model in drawing.models if (model, task) in cells]
        rows = [_small_row(drawing, cell, names[cell["model_name"]]) for cell in in_task]
        panels.append(Panel(task, rows, *limits(rows), title=task, note=_counts_note(in_task)))
    if scale == "reference":
        common = limits([row for panel in panels for row in panel.rows])
        panels = [replace(panel, lo=common[0], hi=common[1]) for panel in panels]
    says = f"Scores over prompts of {counted(len(drawing.models), 'model')} on {counted(len(panels), 'task')}"
    return Picture(panels, says, drawing.texts, roomy=roomy, **axis_words(scale))


def model_strips(shown: PromptDistributions, *, scale: Scale = "own") -> Picture:
    """One task: a row a model, worst and best prompt written out, value columns at the right."""
    drawing = _Drawing(shown, scale)
    cells = {cell["model_name"]: cell for cell in shown.cells.iter_rows(named=True)}
    rows = [_large_row(drawing, cells[model], cells[model]["model_name"]) for model in drawing.models]
    return _wide(drawing, rows, panel=drawing.tasks[0], says=f"Scores over prompts on {drawing.tasks[0]}, by model")


def task_strips(shown: PromptDistributions, *, scale: Scale = "own") -> Picture:
    """One model: a row a task, worst and best prompt written out, value columns at the right."""
    drawing = _Drawing(shown, scale)
    cells = {cell["task_name"]: cell for cell in shown.cells.iter_rows(named=True)}
    rows = [_large_row(drawing, cells[task], cells[task]["task_name"]) for task in drawing.tasks]
    model = drawing.models[0]
    return _wide(drawing, rows, panel=model, says=f"Scores over prompts of {label(model)}, by task")


class _Drawing:
    """Lookups that all rows of one picture share."""

    def __init__(self, shown: PromptDistributions, scale: Scale) -> None:
        self.reference = shown.reading.reference
        self.scale = scale
        self.models = model_order(shown.cells)
        self.tasks = task_order(shown.cells)
        self.all_dots = shown.scores["score"].count() <= MOST_DOTS
        known = list(shown.prompts.iter_rows(named=True))
        self.texts = [prompt_text(prompt) for prompt in known]
        number = {(prompt["task_name"], prompt["prompt_id"]): place for place, prompt in enumerate(known)}
        self._dots: dict[tuple[str, str], tuple[list[float], list[int]]] = {}
        columns = shown.scores.drop_nulls("score").select("model_name", "task_name", "prompt_id", "score")
        for model, task, prompt_id, score in columns.iter_rows():
            values, texts = self._dots.setdefault((model, task), ([], []))
            values.append(score)
            texts.append(number[task, prompt_id])

    def dots(self, cell: Mapping[str, Any]) -> tuple[list[float], list[int]]:
        """Scores of a cell and the numbers of their texts; none where the picture would have too many."""
        return self._dots.get((cell["model_name"], cell["task_name"]), ([], [])) if self.all_dots else ([], [])


def prompt_text(prompt: Mapping[str, Any]) -> Text:
    """What the hover says of a prompt: its text, what the eye would miss, its kind and its author."""
    written = prompt["prompt_text"]
    by = [remark(written), prompt["prompt_kind"] or "", written_by(prompt["generators"])]
    return Text(shortened(written, LONGEST_HOVER), " · ".join(part for part in by if part), prompt["prompt_id"])


def written_by(generators: Sequence[str] | None) -> str:
    """Who wrote a prompt, in words; `author not recorded` where nobody is named."""
    return "by " + ", ".join(generators) if generators else "author not recorded"


def remark(prompt_text: str) -> str:
    """What the eye would miss in a prompt: that it is empty, very long, or begins or ends in a space."""
    if not prompt_text:
        return "empty prompt"
    found = ["begins in a space"] if prompt_text != prompt_text.lstrip() else []
    if prompt_text != prompt_text.rstrip():
        found.append("ends in a space")
    if len(prompt_text) > LONGEST_HOVER:
        found.append(f"{len(prompt_text):,} characters")
    return ", ".join(found)


def _row(drawing: _Drawing, cell: Mapping[str, Any], **words: Any) -> Row:
    """A cell's strip: what both sizes of picture have in common."""
    zero = cell["reference_score"] if drawing.scale == "reference" else 0.0
    says = f"{cell_says(cell, drawing.reference)}"
    if zero is None:
        return Row(says=says, message="no reference score", **words)
    scores, texts = drawing.dots(cell)

    def at(score: float | None) -> float | None:
        return None if score is None else (score - zero) * 100

    bounds = {"band": (at(cell["q_low"]), at(cell["q_high"])), "reach": (at(cell["min"]), at(cell["max"]))}
    known = {name: (low, high) for name, (low, high) in bounds.items() if low is not None and high is not None}
    return Row(
        says=says,
        values=[(score - zero) * 100 for score in scores],
        texts=texts,
        band=known.get("band"),
        reach=None if scores else known.get("reach"),
        median=at(cell["median"]),
        marks=[mark for mark in marks_of(cell, drawing.reference, zero)],
        message="" if cell["n"] else "no prompt score on these rows",
        zero=zero * 100,
        **words,
    )


def _small_row(drawing: _Drawing, cell: Mapping[str, Any], short: str) -> Row:
    signs = ("†" if cell["off_label"] else "") + ("≠" if unlike(cell) else "")
    return _row(
        drawing,
        cell,
        id=cell["model_name"],
        label=short + signs,
        name=label(cell["model_name"]),
        columns=(points(cell["reference_score"]),),
        tone=cell["call"] or "",
        note=_rows_note(cell),
    )


def _large_row(drawing: _Drawing, cell: Mapping[str, Any], row_id: str) -> Row:
    other = unlike(cell)
    notes = [_rows_note(cell), "off-label †" if cell["off_label"] else "", f"≠ {', '.join(other)}" if other else ""]
    return _row(
        drawing,
        cell,
        id=row_id,
        label=label(row_id),
        name=f"{label(cell['model_name'])}, {cell['task_name']}",
        columns=(points(cell["reference_score"]), points(cell["median"]), _place(cell), _call(cell)),
        tone=cell["call"] or "",
        note=" · ".join(note for note in notes if note),
    )


def _rows_note(cell: Mapping[str, Any]) -> str:
    partial = cell["rows"] is not None and cell["rows"] < cell["rows_expected"]
    return f"{of(cell['rows'], cell['rows_expected'])} rows" if partial else ""


def unlike(cell: Mapping[str, Any]) -> list[str]:
    """What differs between prompts and reference of a cell, beside prompts that are off-label."""
    return [words for words in cell["unlike_conditions"] or [] if words != OFF_LABEL]


def _place(cell: Mapping[str, Any]) -> str:
    share = cell["place_share_le"]
    return f"n {cell['n']}" if share is None else of(round(share * cell["n"]), cell["n"])


def _call(cell: Mapping[str, Any]) -> str:
    glyph = GLYPHS.get(cell["call"] or "")
    return f"{glyph.character} {glyph.word}" if glyph else "no call"


def _counts_note(cells: Iterable[Mapping[str, Any]]) -> str:
    counts = sorted({cell["n"] for cell in cells})
    return f"n {counts[0]}" if len(counts) == 1 else f"n {counts[0]}–{counts[-1]}"


def marks_of(cell: Mapping[str, Any], reference: Reference, zero: float = 0.0) -> list[Mark]:
    """The reference, shaped by its call, and the second mark where there is one.

    A published reference is hollow, so that it is never taken for a run in the same harness.
    """
    score, published, gap = cell["reference_score"], cell["published_score"], cell["harness_gap"]
    if score is None and published is None:
        return []
    found = []
    own = reference is Reference.SAME_HARNESS
    if own and published is not None:
        says = "published score, for comparison" + ("" if gap is None else f"; harness gap {signed_points(gap)} points")
        found.append(Mark((published - zero) * 100, "published", says, hollow=True))
    if not own and gap is not None and score is not None:
        found.append(Mark((score - gap - zero) * 100, "harness", "default run in the same harness, for comparison"))
    if score is not None:
        says = f"{REFERENCE_WORDS[reference]}: {call_words(cell)}"
        found.append(Mark((score - zero) * 100, cell["call"] or "none", says, what_ran(cell), hollow=not own))
    return found


def call_words(cell: Mapping[str, Any]) -> str:
    """`high among 38 prompts`, or why there is no call."""
    if cell["call"] is None:
        return f"no call, {cell['no_call_reason'] or 'no reference'}"
    return f"{cell['call']} among {counted(cell['n'], 'prompt')}"


def what_ran(cell: Mapping[str, Any]) -> str:
    """The exact string before the texts of the reference run, or that it is not recorded."""
    origin = cell["reference_origin"] or "not recorded"
    if cell["reference_prompt"]:
        return f"{origin}: {shortened(cell['reference_prompt'], LONGEST_HOVER)}"
    return "what stood before the texts is not recorded" if origin == "not recorded" else f"prompt: {origin}"


def cell_says(cell: Mapping[str, Any], reference: Reference) -> str:
    """A cell in one sentence, for screen readers."""
    who = f"{label(cell['model_name'])} on {cell['task_name']}"
    if cell["reference_score"] is None:
        return f"{who}: median {points(cell['median'])} over {counted(cell['n'], 'prompt')}, no reference"
    return (
        f"{who}: {HEADS[reference]} {points(cell['reference_score'])}, {call_words(cell)}, "
        f"median {points(cell['median'])}"
    )


def limits(rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of an axis that holds everything the rows draw."""
    ends: list[float] = []
    for row in rows:
        ends += [*row.values, *(mark.value for mark in row.marks), *(row.band or ()), *(row.reach or ())]
    low, high = (min(ends), max(ends)) if ends else (0.0, 100.0)
    return (low, high) if high > low else (low - 1, high + 1)


def _wide(drawing: _Drawing, rows: Sequence[Row], *, panel: str, says: str) -> Picture:
    heads = (HEADS[drawing.reference], "median", "at or above", "call")
    few = len(rows) <= ROWS_WITH_ENDS
    return Picture(
        [Panel(panel, rows, *limits(rows))],
        says,
        drawing.texts,
        heads,
        wide=True,
        ends=few,
        low_rows=not few,
        **axis_words(drawing.scale),
    )


def axis_words(scale: Scale) -> dict[str, Any]:
    """How a picture treats the reference: the line that all strips share, or one mark among others."""
    return {"line": 0.0, "away": "the reference"} if scale == "reference" else {}
