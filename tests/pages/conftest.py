"""Stores and pages as a visitor meets them: always through `app.py`."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.pipeline import build
from engine.settings import PROJECT, Settings
from engine.sources import add_source
from tests.pages.result_trees import write_tree


@pytest.fixture(scope="session")
def hand_made_store(tmp_path_factory, metadata_cache) -> Settings:
    """A published store of two made-up models on two tasks, with hostile prompts and one broken file. Read only."""
    data = tmp_path_factory.mktemp("hand-made") / "data"
    data.mkdir()
    (data / "metadata").symlink_to(metadata_cache, target_is_directory=True)
    settings = Settings(data=data)
    add_source(settings, write_tree(data / "tree"), "hand-made")
    build(settings)
    return settings


class Visitor:
    """Somebody who opens the dashboard on one data folder."""

    def __init__(self, settings: Settings, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("SCORELENS_DATA", str(settings.data))

    def open(self, stem: str = "overview", **parameters: str) -> AppTest:
        """The page of that stem as the server draws it for such an address."""
        at = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=30)
        if stem != "overview":
            at.run()
            at.switch_page(f"pages/{stem}/page.py")
        for name, value in parameters.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at


@pytest.fixture
def visitor(monkeypatch):
    """Makes visitors of a data folder; caches are empty at the start."""
    st.cache_data.clear()
    st.cache_resource.clear()
    return lambda settings: Visitor(settings, monkeypatch)


def words(at: AppTest) -> str:
    """All that a page says in HTML, Markdown and code blocks."""
    drawn = [element.proto.body for element in at.get("html")]
    drawn += [element.value for kind in ("title", "markdown", "caption", "code", "text") for element in at.get(kind)]
    return "\n".join(drawn)
