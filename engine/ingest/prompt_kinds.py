"""What a prompt is made of, told from its text and its task: a rule that anyone can follow by hand.

A prompt file's word wins over this rule; it only fills what nobody wrote down.
"""

from __future__ import annotations

import re

from engine.schema import PromptKind


def kind_by_rule(text: str, task_name: str, task_type: str | None, description: str) -> PromptKind:
    """The kind of a prompt by the documented rule."""
    words = re.findall(r"\w+", text.lower())
    if len(words) == 0:
        return PromptKind.MINIMAL
    return PromptKind.LABEL if text.rstrip().endswith(":") and len(words) <= 2 else PromptKind.INSTRUCTION
