"""The leaderboard page in a browser: sentence and picture follow the choice, the address restores it, files hold it."""

import csv
import io

import pytest

from tests.browser.conftest import dashboard

pytestmark = pytest.mark.browser
CLEAN = "exclude-task=MasakhaNEWSClusteringS2S"


@pytest.fixture(scope="module")
def study(study_store):
    with dashboard(study_store) as address:
        yield f"{address}/leaderboard_simulator"


def figure(page, name):
    """A drawn Plotly figure by its name on the page."""
    found = page.locator(f".st-key-picture-{name} .js-plotly-plot")
    found.locator(".main-svg").first.wait_for()
    return found


def words_of(page, name):
    """What is written in a figure."""
    return " ".join(figure(page, name).locator("text").all_text_contents())


def choose(page, label, option):
    """Picks an option of a select box as a visitor does."""
    field = page.locator("[data-testid=stSelectbox]").filter(has_text=label).locator("input")
    field.fill(option)
    field.press("Enter")


def csv_of(page, name):
    """The settings and the rows of a table's CSV."""
    with page.expect_download() as download:
        page.locator(f".st-key-csv-{name} button").first.click()
    lines = download.value.path().read_text("utf-8").splitlines()
    settings = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(io.StringIO("\n".join(line for line in lines if not line.startswith("# ")))))
    return settings, rows


def test_target_and_scenario_change_sentence_and_picture_and_a_new_tab_restores_them(study, visit):
    seen = visit(f"{study}?{CLEAN}")
    page = seen.page
    assert "bge-small-en-v1.5 goes from 6th to 1st of 6" in seen.text()
    drawn = words_of(page, "movement")
    assert "Rivals' handicap" in drawn and "Own choice" in drawn
    choose(page, "Target", "Qwen/Qwen3-Embedding-0.6B")
    page.wait_for_selector("text=Qwen3-Embedding-0.6B goes from 2nd to 1st of 6")
    page.get_by_text("target best, others default", exact=True).click()
    page.wait_for_selector("text=Qwen3-Embedding-0.6B stays 2nd of 6 when it alone picks its best prompts")
    seen.settle()
    changed = words_of(page, "movement")
    assert "Rivals' handicap" not in changed and "Own choice" in changed
    again = visit(page.url)
    assert "Qwen3-Embedding-0.6B stays 2nd of 6 when it alone picks its best prompts" in again.text()
    assert words_of(again.page, "movement") == changed
    settings, rows = csv_of(again.page, "leaderboard")
    assert settings["scenario"] == "best-vs-default"
    assert settings["target"] == "Qwen/Qwen3-Embedding-0.6B"
    assert settings["exclude-task"] == "MasakhaNEWSClusteringS2S"
    assert settings["snapshot"]
    assert [float(row["borda_points"]) for row in rows if row["model_name"] == settings["target"]] == [41.0]


def test_click_on_a_ladder_makes_that_model_the_target(study, visit):
    page = visit(f"{study}?{CLEAN}").page
    ladders = figure(page, "targets")
    ladders.locator(".points path.point").first.scroll_into_view_if_needed()
    box = ladders.locator(".scatterlayer .trace").nth(1).locator("path.point").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("text=Qwen3-Embedding-0.6B goes from 2nd to 1st of 6")
    assert "target=Qwen" in page.url


def test_every_view_draws_its_picture(study, visit):
    seen = visit(f"{study}?{CLEAN}")
    for view, name in {
        "Rank probabilities": "rank-heat",
        "Fewest switches": "switches",
        "Robust ranks": "robust",
        "How many prompts": "agreement",
        "On the real board": "freedom",
        "Rank intervals": "intervals",
    }.items():
        seen.page.get_by_text(view, exact=True).first.click()
        figure(seen.page, name)
        seen.settle()


@pytest.mark.parametrize("width", [800, 1440])
def test_nothing_stands_outside_its_picture(width, study, visit):
    page = visit(f"{study}?{CLEAN}", width=width).page
    for name in ("movement", "targets"):
        figure(page, name)
    page.wait_for_timeout(500)
    assert page.evaluate(OUTSIDE) == []


OUTSIDE = """() => [...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => {
    const area = plot.getBoundingClientRect();
    return [...plot.querySelectorAll('text')]
        .filter((text) => text.textContent.trim())
        .filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < area.left - 2 || box.right > area.right + 2;
        })
        .map((text) => text.textContent);
})"""
