"""What the language page says around its views: the caption, the empty state, the command for the numbers."""

from __future__ import annotations

from engine.analysis.contamination import Closure
from engine.analysis.dataset_revisions import Data
from engine.analysis.language_scores import Weight
from engine.analysis.languages import Merging
from engine.answers.language_composition import chosen_languages
from ui import blocks
from ui.formats import counted
from ui.language_one import show_language
from ui.language_papers import show_papers
from ui.language_purpose import show_purpose
from ui.language_same_paper import show_same_paper
from ui.language_selection import (
    ONE,
    PURPOSE,
    SAME_PAPER,
    SIDE_BY_SIDE,
    TABLE,
    TRAINED,
    WHAT_IF,
    WORTH,
    LanguageSelection,
)
from ui.language_table import show_language_table
from ui.language_trained import show_declared
from ui.language_what_if import show_what_if
from ui.language_worth import show_worth

VIEWS = {
    SIDE_BY_SIDE: show_papers,
    ONE: show_language,
    WHAT_IF: show_what_if,
    TABLE: show_language_table,
    PURPOSE: show_purpose,
    SAME_PAPER: show_same_paper,
    WORTH: show_worth,
    TRAINED: show_declared,
}
WHAT = {
    SIDE_BY_SIDE: ("papers",),
    ONE: ("tasks",),
    WHAT_IF: ("languages-moved", "models-moved"),
    TABLE: ("scores",),
    PURPOSE: ("shortlist",),
    SAME_PAPER: ("same-paper",),
    WORTH: ("worth", "coverage", "disagreement"),
    TRAINED: ("declared", "declared-correlation"),
}
"""Which tables of the command a view shows."""
EVERY_LANGUAGE = ("scores", "coverage")
"""Tables that the page draws for all languages."""
USUAL_LANGUAGES = ("papers", "languages-moved", "disagreement")
"""Tables for which a command that names no language takes those that a picture shows."""


def show_provenance(selection: LanguageSelection) -> None:
    """Draws the caption: snapshot, source, what there is of the benchmark, what is mixed."""
    records = selection.records
    blocks.show_caption(
        f"Snapshot {records.settings['snapshot']} · {selection.question.source}",
        selection.question.benchmark,
        counted(len(records.sums.model_names), "model"),
        counted(records.tasks.height, "task"),
        counted(len(records.known_languages), "language"),
        *(note.rstrip(".") for note in records.notes),
    )


def show_no_languages() -> None:
    """Draws what the page says while no source holds scores by language."""
    blocks.show_finding("No source of this snapshot holds scores in several languages, so no paper can be laid out.")
    blocks.show_empty(
        "Languages: not measured yet",
        "Published results of a multilingual benchmark, such as mteb's leaderboard frame, are added with engine add.",
        command="python -m engine add results.parquet --name board",
    )


def commands_of(selection: LanguageSelection) -> tuple[str, ...]:
    """The `engine show` lines that give the numbers of this view, one a table."""
    lines = [_command(selection, what) for what in WHAT[selection.view]]
    return (*lines, _command_in_turn(selection)) if selection.view == WHAT_IF else tuple(lines)


def _command(selection: LanguageSelection, what: str) -> str:
    question = selection.question
    language = (selection.language,) if selection.language else ()
    named = question.languages or (selection.shown if what == "languages-moved" else language)
    usual = set(chosen_languages(selection.records, question.reading))
    told = what not in EVERY_LANGUAGE and not (what in USUAL_LANGUAGES and set(named) == usual)
    wanted, weight = question.wanted, question.weight
    options: dict[str, str | tuple[str, ...]] = {
        **_reading(selection, what),
        "language": named if told else (),
        "model": () if selection.view == TABLE else question.models,
        "drop-task": question.drop_tasks,
        "drop-corpus": question.drop_corpora,
        "drop-type": question.drop_types,
        "drop-kind": tuple(kind.value for kind in question.drop_kinds),
        "weight": weight.value if weight is not Weight.ROW else "",
        "purpose": question.purpose.value if selection.view == PURPOSE else "",
        "max-parameters": _number(wanted.max_parameters),
        "max-dimension": _number(wanted.max_dimension),
        "min-tokens": _number(wanted.min_tokens),
        "license": wanted.licenses,
        "released-from": wanted.released_from.isoformat() if wanted.released_from else "",
        "closure": question.closure.value if question.closure is not Closure.SIMILAR else "",
    }
    return blocks.engine_command("language-composition", options, "open-weights" if wanted.open_weights else "")


def _command_in_turn(selection: LanguageSelection) -> str:
    """The line for the parts that are left out in turn, each from the whole score."""
    weight = selection.question.weight
    options: dict[str, str | tuple[str, ...]] = {
        **_reading(selection, "without"),
        "language": selection.language,
        "model": selection.question.models,
        "weight": weight.value if weight is not Weight.ROW else "",
        "by": selection.in_turn.value,
    }
    return blocks.engine_command("language-composition", options)


def _reading(selection: LanguageSelection, what: str) -> dict[str, str | tuple[str, ...]]:
    question = selection.question
    return {
        "source": question.source,
        "benchmark": question.benchmark,
        "merge": question.merge.value if question.merge is not Merging.SPELLINGS else "",
        "data": question.data.value if question.data is not Data.ANY else "",
        "what": what,
    }


def _number(limit: int | None) -> str:
    return "" if limit is None else str(limit)
