"""The custom scenario: which model takes which prompts; whoever is in no list keeps its default."""

from __future__ import annotations

import streamlit as st

from engine.analysis.prompt_selection import Choice, SelectionRule
from engine.answers.leaderboard import LeaderboardQuestion
from ui import blocks, reads
from ui.selectors import pick_many

LOW = 0.1
RULES = {
    "best": ("Best prompts for", Choice(SelectionRule.BEST)),
    "worst": ("Worst prompts for", Choice(SelectionRule.WORST)),
    "median": ("Median prompt for", Choice(SelectionRule.MEDIAN)),
    "low": ("10th percentile for", Choice(SelectionRule.QUANTILE, quantile=LOW)),
}
"""By URL parameter; a model in several lists follows the first."""


def pick_choices(question: LeaderboardQuestion, models: tuple[str, ...]) -> tuple[tuple[str, Choice], ...]:
    """A choice for every model that is in one of the lists."""
    chosen: dict[str, Choice] = {}
    with st.popover("Prompts of each model", icon=":material/group:"):
        blocks.show_caption("A model in no list keeps its default; in several, the first counts.")
        for parameter, (title, choice) in RULES.items():
            for model in pick_many(title, models, parameter=parameter, placeholder="nobody"):
                chosen.setdefault(model, choice)
        named = _pick_prompts(question)
        for model in pick_many("… taken by", models, parameter="named-for", placeholder="nobody"):
            chosen.setdefault(model, Choice(SelectionRule.NAMED, prompt_ids=named))
        blocks.show_caption("Its taker keeps its default on tasks where none of the named prompts was run.")
    return tuple(sorted(chosen.items()))


def _pick_prompts(question: LeaderboardQuestion) -> tuple[str, ...]:
    """Ids of the prompts whose texts are picked: one text may have been put before queries here, before all there."""
    prompts = reads.board(question).prompts.sort("prompt_text", "prompt_id").unique("prompt_id", maintain_order=True)
    ids = dict(prompts.group_by("prompt_text", maintain_order=True).agg("prompt_id").iter_rows())
    picked = pick_many("Named prompts", list(ids), parameter="named", placeholder="none")
    return tuple(prompt_id for text in picked for prompt_id in ids[text])
