"""Fixtures of the engine's tests: made-up result trees, builds without mteb, the command line with its exit code."""

import sys
from collections.abc import Callable

import pytest

from engine.__main__ import main
from tests.engine.trees import Tree, forget_mteb


@pytest.fixture
def tree(tmp_path) -> Tree:
    return Tree(tmp_path / "tree")


@pytest.fixture
def without_mteb(monkeypatch) -> None:
    """Builds as on a machine where mteb is not installed: no metadata, and fast."""
    forget_mteb(monkeypatch)


@pytest.fixture
def command_line(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process; gives exit code, stdout and stderr."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["engine", *words])
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call
