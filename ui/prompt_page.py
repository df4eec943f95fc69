"""What the prompt page says around its pictures: the finding, warnings, empty states, the command for the numbers."""

from __future__ import annotations

from engine.analysis.findings import find_calls, find_nothing, find_places
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.references import Reference
from engine.analysis.variation import spread_by_kind
from engine.analysis.variation_findings import find_kinds, find_variation
from engine.answers.prompt_distributions import SHARED, PromptQuestion
from ui import blocks, reads
from ui.blocks import Sentence
from ui.prompt_limit import show_prompt_limit
from ui.prompt_selection import KINDS, PLACE, VARIATION
from ui.tables import show_table


def finding_of(answer: PromptDistributions, view: str) -> Sentence:
    """The sentence on top: what this selection shows, in this view."""
    if answer.cells.is_empty():
        return blocks.parts_of(find_nothing(answer))
    if view == PLACE:
        return blocks.parts_of(find_places(answer))
    if view == VARIATION:
        return blocks.parts_of(find_variation(answer.cells))
    if view == KINDS:
        return blocks.parts_of(find_kinds(spread_by_kind(answer.scores, answer.prompts)))
    return blocks.parts_of(find_calls(answer))


def show_warnings(answer: PromptDistributions, question: PromptQuestion) -> None:
    """Draws what would mislead a reader who did not know it."""
    if question.prompts == SHARED:
        show_prompt_limit(reads.prompt_limit(question))
    if answer.reading.reference is Reference.PUBLISHED_ALL:
        blocks.show_note(
            "Published scores over all their rows may stand on other splits, subsets or languages than the prompts "
            "here; over the rows they share, calls can turn round. Reference published-matched compares like with like."
        )


def show_left_out(answer: PromptDistributions) -> None:
    """Draws which cells were asked for and why none can be shown."""
    if answer.left_out.is_empty():
        blocks.show_empty("Nothing passes these filters", "Fewer filters show more.")
    else:
        show_table(answer.left_out, name="left-out", settings=answer.settings)


def show_no_prompts() -> None:
    """Draws what the page says while no source holds prompt experiments."""
    blocks.show_finding("No source of this snapshot holds prompt experiments, so there is no distribution to show.")
    blocks.show_empty(
        "Prompt sensitivity: not measured yet",
        "The demo runs bundled models over a dozen prompts; it needs neither a network nor a model hub. "
        "Results of your own in MTEB's cache layout are added with engine add.",
        command="python -m engine demo",
    )


def command_of(question: PromptQuestion) -> str:
    """The `engine show` line that gives the numbers of this page."""
    usual = PromptQuestion()
    options: dict[str, str | tuple[str, ...]] = {
        "source": question.source,
        "task": question.tasks,
        "exclude-task": question.exclude_tasks,
        "model": question.models,
        "reference": question.reference.value,
        "prompts": question.prompts,
        "kind": question.kinds,
        "generator": question.generators,
        "search": question.search,
        "exclude-prompt": question.exclude_prompts,
        "rows": question.rows if question.rows != usual.rows else "",
        "low": f"{question.low:g}" if question.low != usual.low else "",
        "high": f"{question.high:g}" if question.high != usual.high else "",
        "published": question.published,
    }
    return blocks.engine_command("prompt-distributions", options)
