"""A sweep asked for, watched, stopped and gone on with in a real browser, run by a real worker on real models."""

import os
import subprocess
import sys

import pytest

from engine.settings import PROJECT
from tests.browser.conftest import dashboard

pytestmark = pytest.mark.browser

PATIENCE_MS = 90_000
SMALL = "models=universal-sentence-encoder-multilingual-v3&tasks=ScorelensHomeCommandPairs&prompts=demo&limit=12"
LARGE = "models=all-MiniLM-L6-v2&tasks=ScorelensPythonHelpRetrieval&prompts=demo"


@pytest.fixture
def worker(settings):
    """A worker on an empty data folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "worker"],
        cwd=PROJECT,
        env={**os.environ, "SCORELENS_DATA": str(settings.data)},
    )
    yield settings
    process.terminate()
    assert process.wait(timeout=60) in (0, -15, 143)


def press(opened, name):
    button = opened.page.get_by_role("button", name=name, exact=True)
    button.wait_for(timeout=PATIENCE_MS)
    button.click()


def await_finding(opened, words):
    opened.page.locator(".sl-finding", has_text=words).first.wait_for(timeout=PATIENCE_MS)


def test_sweep_is_previewed_run_stopped_and_gone_on_with(worker, visit):
    with dashboard(worker) as address:
        opened = visit(f"{address}/sweeps?{LARGE}&name=large")
        press(opened, "Start")
        opened.page.locator(".sl-cell-running").first.wait_for(timeout=PATIENCE_MS)
        press(opened, "Cancel")
        await_finding(opened, "ended with")
        assert "cancelled" in opened.text()
        before = opened.page.locator(".sl-finding b").first.inner_text()

        small = visit(f"{address}/sweeps?{SMALL}&name=small")
        press(small, "Preview")
        small.page.locator(".sl-example").first.wait_for(timeout=PATIENCE_MS)
        assert small.page.locator(".sl-part-prompt").first.inner_text().strip()
        press(small, "Start")
        await_finding(small, "Sweep small ended with 11 of 11 runs")
        small.page.get_by_text("Snapshot 00", exact=False).first.wait_for(timeout=PATIENCE_MS)
        prompts = visit(f"{address}/prompt_distributions")
        assert "No source of this snapshot holds prompt experiments" not in prompts.text()

        again = visit(f"{address}/sweeps?{LARGE}&name=large")
        again.page.get_by_text("1 earlier sweep").wait_for(timeout=PATIENCE_MS)
        press(again, "Start")
        await_finding(again, "Sweep large has")
        press(again, "Cancel")
        await_finding(again, "ended with")
        after = again.page.locator(".sl-finding b").first.inner_text()
        assert int(after.split()[0]) >= int(before.split()[0]), "nothing that was done is done again or lost"
