"""A sweep asked for, watched, stopped, gone on with and retried in a real browser, run by a real worker."""

import os
import subprocess
import sys

import pytest

from engine.settings import PROJECT
from engine.study.file import make_study, read_study
from tests.browser.conftest import dashboard

pytestmark = pytest.mark.browser

PATIENCE_MS = 180_000
NOT_TO_BE_HAD = "STS14"
STUDY = {
    "name": "small",
    "models": ["universal-sentence-encoder-multilingual-v3"],
    "tasks": [NOT_TO_BE_HAD, "ScorelensHomeCommandPairs", "ScorelensPythonHelpRetrieval"],
    "prompts": ["demo"],
    "limit": 12,
}


@pytest.fixture
def worker(settings):
    """A worker on an empty data folder and without a network: a task of the hub cannot be had."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "worker"],
        cwd=PROJECT,
        env={**os.environ, "SCORELENS_DATA": str(settings.data), "HF_HUB_OFFLINE": "1"},
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
    return int(opened.page.locator(".sl-finding b").first.inner_text().split()[0])


def fill_form(opened, tmp_path):
    """Uploads a study file, after one that is none; gives the file that the page saves of what it composed."""
    opened.page.get_by_text("Fill the form from a study file").click()
    uploads = opened.page.locator("input[type=file]")
    wrong, right, saved = (tmp_path / f"{name}.toml" for name in ("wrong", "right", "saved"))
    wrong.write_text('models = ["a"]\ntasks = = 3\n')
    uploads.set_input_files(wrong)
    opened.page.get_by_text("line 2, column 9").wait_for(timeout=PATIENCE_MS)
    right.write_text(make_study(STUDY).file_text)
    uploads.set_input_files(right)
    with opened.page.expect_download(timeout=PATIENCE_MS) as download:
        press(opened, "Study file")
    download.value.save_as(saved)
    return saved


@pytest.mark.timeout(600)
def test_sweep_is_composed_stopped_gone_on_with_and_retried(worker, visit, tmp_path):
    with dashboard(worker) as address:
        opened, onlooker = visit(f"{address}/sweeps"), visit(f"{address}/sweeps")
        assert read_study(fill_form(opened, tmp_path)) == make_study(STUDY)
        press(opened, "Start")
        opened.page.locator("td.sl-cell-running").first.wait_for(timeout=PATIENCE_MS)
        press(opened, "Cancel")
        before = await_finding(opened, "small was stopped with")
        # What one visitor asked for, the others see by themselves.
        assert await_finding(onlooker, "small was stopped with") == before
        press(onlooker, "Go on")
        after = await_finding(opened, "small ended with")
        assert after > before
        assert opened.page.locator("td.sl-cell-failed", has_text="1 failed").count() == 1
        assert f"on {NOT_TO_BE_HAD} with default settings: " in opened.text()
        opened.page.get_by_text("Snapshot 00", exact=False).first.wait_for(timeout=PATIENCE_MS)
        with opened.page.expect_navigation():
            opened.page.get_by_role("link", name="Its scores under each prompt").click()
        opened.settle()
        opened.page.get_by_text("New results since you last looked").wait_for(timeout=PATIENCE_MS)
        assert "No source of this snapshot" not in opened.text() and "is no choice here" not in opened.text()

        press(onlooker, "Retry failed")
        onlooker.page.get_by_text("Earlier sweeps (2)").wait_for(timeout=PATIENCE_MS)
        onlooker.page.get_by_role("button", name="Cancel", exact=True).wait_for(timeout=PATIENCE_MS)
