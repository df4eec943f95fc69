"""Which prompt each side of a task was given, read from an experiment's settings by mteb's own lookup order.

mteb looks for `{Task}-{query|document}`, `{Task}`, `{Type}-{query|document}`, `{Type}`, `query|document`
and takes the first key that is there, even if its text is empty. Only tasks with sides ask with a side, so
elsewhere `{Task}` and `{Type}` alone can match. A bare `{Task}` reaches queries and documents alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.ingest.prompts import has_sides, prompt_id
from engine.schema import PromptType

SIDES = (PromptType.QUERY, PromptType.DOCUMENT)


@dataclass(frozen=True)
class GivenPrompt:
    """The prompt of one run: null texts for sides that were given none."""

    sides: tuple[PromptType, ...]
    """sides that the task has"""
    texts: dict[PromptType, str]
    """exact text per side that was given one"""
    matching_keys: frozenset[str]
    """keys of the settings that can apply to this task"""
    unreadable_keys: frozenset[str]
    """keys that apply but hold no text"""

    @property
    def prompt_type(self) -> PromptType | None:
        """The side as the prompts table has it; None where no prompt was given."""
        if len(self.texts) > 1:
            return PromptType.BOTH
        return next(iter(self.texts), None)

    @property
    def text(self) -> str | None:
        """The one text, or the queries' where both sides have one."""
        return next(iter(self.texts.values()), None)

    @property
    def document_text(self) -> str | None:
        """The documents' text where both sides have one."""
        return self.texts[PromptType.DOCUMENT] if len(self.texts) > 1 else None

    @property
    def prompt_id(self) -> str | None:
        """Identity of the prompt; None where none was given."""
        if self.prompt_type is None or self.text is None:
            return None
        return prompt_id(self.prompt_type, self.text, self.document_text)


def given_prompt(prompts: Mapping[str, Any], task_name: str, task_type: str | None) -> GivenPrompt:
    """What an experiment's prompts give to one task.

    Args:
        prompts: Texts by key, as in `experiment_kwargs["prompts"]`; a text may be an object with one text per side.
        task_name: The task; may contain dashes, since keys are compared whole and never split.
        task_type: Its type; None = unknown, then the task has sides if a key names it with a side.
    """
    sides = _sides(prompts, task_name, task_type)
    texts: dict[PromptType, str] = {}
    matching: set[str] = set()
    unreadable: set[str] = set()
    for side in sides:
        keys = [key for key in lookup_keys(task_name, task_type, side) if key in prompts]
        matching.update(keys)
        if not keys:
            continue
        value = prompts[keys[0]]
        text = value.get(str(side)) if isinstance(value, dict) else value
        if isinstance(text, str):
            texts[side] = text
        elif text is not None or not isinstance(value, dict):
            unreadable.add(keys[0])
    return GivenPrompt(sides, texts, frozenset(matching), frozenset(unreadable))


def _sides(prompts: Mapping[str, Any], task_name: str, task_type: str | None) -> tuple[PromptType, ...]:
    named_with_side = task_type is None and any(f"{task_name}-{side}" in prompts for side in SIDES)
    return SIDES if named_with_side or has_sides(task_name, task_type) else (PromptType.NONE,)


def lookup_keys(task_name: str, task_type: str | None, side: PromptType) -> tuple[str, ...]:
    """Keys under which mteb looks for a prompt, the first one present wins."""
    if side is PromptType.NONE:
        return (task_name, task_type) if task_type else (task_name,)
    typed = (f"{task_type}-{side}", task_type) if task_type else ()
    return (f"{task_name}-{side}", task_name, *typed, str(side))
