"""Django's own messages with their translations, from the catalogues that its package ships."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import GNUTranslations
from hashlib import sha256
from pathlib import Path

from engine.demo.weights import package_folder

FEWEST_WORDS = 4
LONGEST = 70
"""Characters of an English message."""
MARKUP = ("%", "{", "<", "\x04", "\x00")
"""Signs of placeholders, HTML, contexts and plurals: such messages are no sentences of their own."""


def translations(language: str) -> dict[str, str]:
    """Translation by English message, for all messages that are plain sentences."""
    return {
        message: " ".join(translation.split())
        for catalogue in _catalogues(language)
        for message, translation in catalogue.items()
        if len(message.split()) >= FEWEST_WORDS
        and len(message) <= LONGEST
        and not any(sign in message for sign in MARKUP)
    }


def _catalogues(language: str) -> Iterator[dict[str, str]]:
    places = package_folder("django").glob(f"**/locale/{language}/LC_MESSAGES/django.mo")
    for path in sorted(places, key=str):
        yield _read_catalogue(path)


def _read_catalogue(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        catalogue: dict[object, str] = vars(GNUTranslations(file))["_catalog"]
    return {message: text for message, text in catalogue.items() if isinstance(message, str) and message and text}


def messages(languages: tuple[str, ...], number: int) -> list[tuple[str, ...]]:
    """Messages in English and in each language: a fixed choice among those that all the languages have.

    The choice follows the hash of the English message, so it is spread over all parts of Django.
    """
    tables = [translations(language) for language in languages]
    common = set.intersection(*(set(table) for table in tables))
    chosen = sorted(common, key=lambda message: sha256(message.encode("utf-8")).hexdigest())[:number]
    return [(" ".join(message.split()), *(table[message] for table in tables)) for message in chosen]
