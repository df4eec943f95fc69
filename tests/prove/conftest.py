"""The same made-up trees as the engine's tests have, and one small study, run once by a process left in peace."""

import time

import pytest

from tests.engine.conftest import tree, without_mteb
from tests.prove.sweeps import scores, start, write_study

__all__ = ["tree", "without_mteb"]


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """A study file."""
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, study):
    """Scores of the study by run, and how many seconds its runs took."""
    folder = tmp_path_factory.mktemp("whole")
    child, began = start(folder, study), time.monotonic()
    assert child.communicate(timeout=300)[0] == "end 0\n"
    return scores(folder, study), time.monotonic() - began
