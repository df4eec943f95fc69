"""The environment: what is read from it, and what is refused."""

import pytest

from engine.errors import UsageError
from engine.settings import from_environment


@pytest.mark.parametrize("name", ["SCORELENS_PORT", "SCORELENS_ADDRESS", "SCORELENS_READONLY"])
def test_an_empty_variable_is_as_good_as_none(monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    without = from_environment()
    monkeypatch.setenv(name, "")
    assert from_environment() == without


@pytest.mark.parametrize("port", ["0", "65536", "-1", "8501.5", "\u00b2", "port"])
def test_what_is_no_port_is_refused(monkeypatch, port):
    monkeypatch.setenv("SCORELENS_PORT", port)
    with pytest.raises(UsageError, match="expected a port"):
        from_environment()


@pytest.mark.parametrize("word", ["true", "yes", "2"])
def test_readonly_is_one_or_nought_and_never_guessed(monkeypatch, word):
    monkeypatch.setenv("SCORELENS_READONLY", word)
    with pytest.raises(UsageError, match="SCORELENS_READONLY"):
        from_environment()
