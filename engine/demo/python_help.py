"""Questions of a Python beginner, written for this demo, and the help topics of CPython that answer them.

The questions avoid the words that the topics use, so that matching words is not enough. Which topics
answer a question was judged on the part of each topic that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics

import msgspec

LONGEST = 600
"""Characters of a topic that are kept, cut at a space."""

QUESTIONS = Path(__file__).with_name("python_help_questions.jsonl")


class Question(msgspec.Struct, frozen=True):
    """One line of the file of questions."""

    subset: str
    question: str
    topics: tuple[str, ...]


class Topic(msgspec.Struct, frozen=True):
    """One of Python's help topics, cut."""

    title: str
    text: str


@cache
def questions() -> tuple[Question, ...]:
    """All questions, in the order of the file."""
    return tuple(msgspec.json.Decoder(Question).decode_lines(QUESTIONS.read_bytes()))


@cache
def help_topics() -> Mapping[str, Topic]:
    """The topics by name; of topics with the same text, the one that a question asks for, else the first."""
    asked = {name for question in questions() for name in question.topics}
    kept: dict[Topic, str] = {}
    for name in sorted(topics, key=lambda name: (name not in asked, name)):
        kept.setdefault(_cut(topics[name]), name)
    return {name: topic for topic, name in sorted(kept.items(), key=lambda item: item[1])}


def _cut(topic: str) -> Topic:
    lines = [line for line in topic.strip().splitlines() if not re.fullmatch(r"[*=~^\"'-]+", line.strip())]
    title, text = lines[0].strip(), " ".join(" ".join(lines[1:]).split())
    return Topic(title, text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0])
