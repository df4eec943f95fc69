"""The same made-up trees as the engine's tests have."""

from tests.engine.conftest import tree, without_mteb

__all__ = ["tree", "without_mteb"]
