"""Fixtures of the engine's tests: made-up result trees, and builds without mteb."""

import pytest

from tests.engine.trees import Tree, forget_mteb


@pytest.fixture
def tree(tmp_path) -> Tree:
    return Tree(tmp_path / "tree")


@pytest.fixture
def without_mteb(monkeypatch) -> None:
    """Builds as on a machine where mteb is not installed: no metadata, and fast."""
    forget_mteb(monkeypatch)
