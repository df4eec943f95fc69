"""The pages that exist, in the order of the menu: the frame, the tests and the doors of the overview read this list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import Page


@dataclass(frozen=True)
class PageEntry:
    """One page: its stem in every layer, and its name in the menu."""

    stem: str
    title: str

    @property
    def path(self) -> str:
        """The script, seen from `app.py`."""
        return f"pages/{self.stem}/page.py"

    @property
    def url_path(self) -> str:
        """The address below the root; the first page lives at the root itself."""
        return "" if self is PAGES[0] else self.stem


PAGES: tuple[PageEntry, ...] = (
    PageEntry("overview", "Overview"),
    PageEntry("prompt_distributions", "Prompts"),
    PageEntry("leaderboard_simulator", "Leaderboard"),
    PageEntry("language_composition", "Languages"),
    PageEntry("triplet_tests", "Triplets"),
    PageEntry("sweeps", "Sweeps"),
    PageEntry("methods", "Methods"),
)


def page_named(stem: str) -> PageEntry:
    """The page with that stem (KeyError where there is none)."""
    return {page.stem: page for page in PAGES}[stem]


def register_pages() -> Page:
    """The page that this visitor asked for, out of those in the menu."""
    pages = [
        st.Page(page.path, title=page.title, url_path=page.url_path or None, default=page is PAGES[0]) for page in PAGES
    ]
    return st.navigation(pages, position="top")
