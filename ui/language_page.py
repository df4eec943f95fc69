"""What the language page says around its views: the caption, the empty state, the command for the numbers."""

from __future__ import annotations

from engine.analysis.language_scores import Weight
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
    SIDE_BY_SIDE: "papers",
    ONE: "tasks",
    WHAT_IF: "without",
    TABLE: "scores",
    PURPOSE: "shortlist",
    SAME_PAPER: "same-paper",
    WORTH: "worth",
    TRAINED: "declared",
}
"""Which table of the command a view shows."""


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


def command_of(selection: LanguageSelection) -> str:
    """The `engine show` line that gives the numbers of this view."""
    question = selection.question
    usual = set(chosen_languages(selection.records, question.reading))
    named = () if set(question.languages) == usual else question.languages
    options: dict[str, str | tuple[str, ...]] = {
        "source": question.source,
        "benchmark": question.benchmark,
        "what": WHAT[selection.view],
        "language": named or ((selection.language,) if selection.language else ()),
        "model": question.models,
        "drop-task": question.drop_tasks,
        "drop-corpus": question.drop_corpora,
        "drop-type": question.drop_types,
        "drop-kind": tuple(kind.value for kind in question.drop_kinds),
        "weight": question.weight.value if question.weight is not Weight.ROW else "",
    }
    return blocks.engine_command("language-composition", options)
