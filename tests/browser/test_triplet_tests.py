"""The afternoon of a native speaker: write an item, see it fail, fix a typo, run it again, take it along."""

import json
import os
import subprocess
import sys

import pytest

from engine.settings import PROJECT
from tests.browser.conftest import dashboard

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
FIRST_BUILD_MS = 180_000
"""The first build of a folder reads mteb's descriptions of all tasks, beside whatever else a machine is testing."""
MODEL = "universal-sentence-encoder-multilingual-v3"
SCRIPTS = [
    ("ml-1", "mal-Mlym", "ആനപ്പുറത്ത്", "ആനയുടെ പുറത്ത്", "ആന പുറത്ത്"),
    ("ar-1", "ara-Arab", "لم يصل القطار", "القطار لم يأتِ", "وصل القطار"),
    ("hi-1", "hin-Deva", "वह कल आया था", "वह कल पहुँचा", "वह कल आएगा"),
]
WITHOUT_GLYPH = """text => {
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = '40px sans-serif';
  const drawn = letter => {
    pen.clearRect(0, 0, 90, 90);
    pen.fillText(letter, 5, 60);
    return Array.from(pen.getImageData(0, 0, 90, 90).data).join();
  };
  return [...text].filter(letter => /\\p{L}/u.test(letter) && drawn(letter) === drawn('\\uffff'));
}"""


@pytest.fixture
def folder(settings):
    """A data folder with a small set in three scripts."""
    path = settings.data / "triplets" / "mine.jsonl"
    path.parent.mkdir(parents=True)
    items = [
        {"id": name, "language": language, "anchor": base, "positives": [{"text": right, "gloss": ""}],
         "negatives": [{"text": wrong, "gloss": ""}]}
        for name, language, base, right, wrong in SCRIPTS
    ]  # fmt: skip
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
    return settings


@pytest.fixture
def worker(folder):
    """A worker on that folder."""
    environment = {**os.environ, "SCORELENS_DATA": str(folder.data)}
    process = subprocess.Popen([sys.executable, "-m", "engine", "worker"], cwd=PROJECT, env=environment)
    yield folder
    process.terminate()
    assert process.wait(timeout=60) in (0, -15, 143)


def fill(opened, name, text):
    """Types into a field and waits until the engine's checks have seen it."""
    field = opened.page.get_by_label(name, exact=True)
    field.click()
    field.fill(text)
    field.press("Enter")
    opened.settle()


def press(opened, name):
    button = opened.page.get_by_role("button", name=name, exact=True)
    button.wait_for(timeout=PATIENCE_MS)
    button.click()
    opened.settle()


def await_text(opened, words, patience_ms=PATIENCE_MS):
    opened.page.get_by_text(words).first.wait_for(timeout=patience_ms)


def test_item_is_written_fails_is_mended_passes_and_leaves(worker, visit):
    with dashboard(worker) as address:
        opened = visit(f"{address}/triplet_tests?view=Write&set=mine&ask={MODEL}")
        fill(opened, "Id", "en-1")
        field = opened.page.get_by_label("Language", exact=True)
        field.fill("eng-Latn")
        field.press("Enter")
        fill(opened, "Base", "How old are you?")
        fill(opened, "Same meaning", "Wht si yuor aeg?")
        fill(opened, "Looks alike, means something else", "How cold are you?")
        press(opened, "Save")
        press(opened, "Run this item")
        await_text(opened, "✕ wrong:")
        fill(opened, "Same meaning", "How old are you now?")
        await_text(opened, "not saved yet")
        press(opened, "Save")
        press(opened, "Run this item")
        await_text(opened, "✓ right:")
        opened.page.get_by_text("Take items along").click()
        with opened.page.expect_download(timeout=PATIENCE_MS) as waiting:
            opened.page.get_by_role("button", name="JSON Lines").click()
        lines = waiting.value.path().read_text("utf-8").splitlines()
        saved = {item["id"]: item for item in map(json.loads, lines)}
        assert saved["en-1"]["positives"][0]["text"] == "How old are you now?"
        assert saved["en-1"]["written"] == "after", "it was changed with a model's answer in view"

        press(opened, "Run the whole set")
        shown = visit(f"{address}/triplet_tests?view=All+items&set=mine")
        await_text(shown, "Items × models", FIRST_BUILD_MS)


def test_scripts_are_drawn_with_glyphs_in_their_own_direction(folder, visit):
    with dashboard(folder) as address:
        for name, _, base, *_ in SCRIPTS:
            opened = visit(f"{address}/triplet_tests?view=Write&set=mine&edit={name}")
            field = opened.page.get_by_label("Base", exact=True)
            field.wait_for(timeout=PATIENCE_MS)
            assert field.input_value() == base
            assert field.evaluate("field => getComputedStyle(field).unicodeBidi") == "plaintext"
            missing = opened.page.evaluate(WITHOUT_GLYPH, base)
            assert not missing, f"{base}: letters without a glyph"
