"""What tests of commands share: a data folder that the command line finds."""

import pytest

from engine.settings import Settings


@pytest.fixture
def here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("SCORELENS_DATA", str(settings.data))
    return settings
