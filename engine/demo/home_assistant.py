"""Home Assistant's sentence templates, written by its contributors in 65 languages, as short commands.

A template such as `<turn> on [<the>] fan[s]` stands for many sentences. A few are drawn from each, by a
random generator seeded with language and template, so they are the same everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

from engine.demo.weights import package_folder

DRAWS = 12
"""Sentences drawn from each template before repeats are left out."""

PLAIN = 3
"""Alternatives that are drawn from: the first ones of each template, which are its plainest."""

OPTIONAL_SHARE = 1 / 3
"""Probability that an optional part is kept."""


class _NeedsAName(Exception):
    """The template has a slot for a device's or a room's name, which no package fills."""


Group = tuple[str, str]
"""An intent and the domain it is about (`light`, `fan`), which may be empty."""


@cache
def commands(language: str, groups: tuple[Group, ...]) -> Mapping[Group, tuple[str, ...]]:
    """Distinct commands of at least two words for each group.

    Raises:
        WeightsError: A package of the demo is not installed.
    """
    package_folder("hassil")
    from hassil.parse_expression import parse_sentence

    path = package_folder("home_assistant_intents") / "data" / f"{language}.json"
    source = json.loads(path.read_text("utf-8"))
    rules = _parsed(source["expansion_rules"])
    drawn = {}
    for intent, domain in groups:
        blocks = [b for b in source["intents"][intent]["data"] if b.get("slots", {}).get("domain", "") == domain]
        templates = [
            (text, parse_sentence(text).expression, {**rules, **_parsed(block.get("expansion_rules", {}))})
            for block in blocks
            for text in block["sentences"]
        ]
        drawn[intent, domain] = _distinct(_draws(language, templates))
    return drawn


def _parsed(rules: Mapping[str, str]) -> dict[str, Any]:
    from hassil.parse_expression import parse_sentence

    return {name: parse_sentence(body).expression for name, body in rules.items()}


def _draws(language: str, templates: list[tuple[str, Any, dict[str, Any]]]) -> Iterator[str]:
    """Sentences, one of each template in turn, so that the first ones are as different as they can be."""
    for draw in range(DRAWS):
        for text, expression, rules in templates:
            try:
                sentence = _expand(expression, rules, Random(f"{language}{text}{draw}"))
            except _NeedsAName:
                continue
            yield " ".join(sentence.split())


def _distinct(sentences: Iterator[str]) -> tuple[str, ...]:
    """The sentences of two words or more, without those that differ only in case."""
    found: dict[str, str] = {}
    for sentence in sentences:
        if " " in sentence:
            found.setdefault(sentence.lower(), sentence)
    return tuple(found.values())


def _expand(expression: Any, rules: Mapping[str, Any], random: Random) -> str:
    from hassil import expression as kinds

    match expression:
        case kinds.TextChunk():
            return str(expression.original_text)
        case kinds.Alternative():
            if expression.is_optional and random.random() >= OPTIONAL_SHARE:
                return ""
            filled = [item for item in expression.items if not (isinstance(item, kinds.TextChunk) and item.is_empty)]
            return _expand(random.choice(filled[:PLAIN]), rules, random)
        case kinds.Permutation():
            return " ".join(_expand(item, rules, random).strip() for item in expression.items)
        case kinds.Group():
            return "".join(_expand(item, rules, random) for item in expression.items)
        case kinds.RuleReference():
            return _expand(rules[expression.rule_name], rules, random)
        case _:
            raise _NeedsAName
