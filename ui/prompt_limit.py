"""The note that one model keeps the number of shared prompts down: the prompt page and a sweep's board say the same."""

from __future__ import annotations

from engine.analysis.prompt_sets import PromptLimit
from ui import blocks
from ui.formats import count, counted, label

WORTH_SAYING = 1.1
"""A model limits a comparison where leaving it out would add a tenth to the shared prompts."""


def show_prompt_limit(limit: PromptLimit | None) -> None:
    """Draws which model limits a comparison, and how many prompts would be shared without it; nothing if none does."""
    if limit and limit.n_without >= WORTH_SAYING * limit.n_shared:
        blocks.show_note(
            blocks.Quoted(label(limit.model_name)),
            f" limits the comparison: every model ran {counted(limit.n_shared, 'prompt')}; without it they would share "
            f"{count(limit.n_without)}. Its sweep may not be finished.",
        )
