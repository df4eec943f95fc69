"""The dashboard in a real browser: deep links, state in the URL, downloads, both themes, and no complaint anywhere."""

from urllib.parse import parse_qs, urlparse

import pytest

from tests.browser.conftest import dashboard
from ui.charts.theme import PALETTES
from ui.navigation import PAGES

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(hand_made_store):
    with dashboard(hand_made_store) as found:
        yield found


def parameters_of(visited) -> dict[str, list[str]]:
    return parse_qs(urlparse(visited.page.url).query)


def test_a_deep_link_is_answered_by_the_frame_as_the_first_request(hand_made_store, visit):
    with dashboard(hand_made_store) as fresh:
        opened = visit(f"{fresh}/methods?view=Rules")
        assert opened.page.locator("[data-testid=stTopNavLink]").all_inner_texts() == [page.title for page in PAGES]
        assert "1. Score of a run" in opened.text() and "Traceback" not in opened.text()
        assert opened.page.get_by_role("dialog").count() == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_fits_its_window_without_complaint(page, address, visit):
    opened = visit(f"{address}/{page.url_path}")
    assert "Traceback" not in opened.text()
    for width in (1440, 800):
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def drawn_words(visited) -> list[str]:
    """All words of the pictures on a page."""
    words = visited.page.locator("[class*=st-key-picture-] svg text")
    words.first.wait_for(state="attached")
    return words.evaluate_all("(found) => found.map((each) => each.textContent)")


def test_a_widget_changes_the_picture_and_the_url_and_the_url_restores_both(address, visit):
    opened = visit(f"{address}/prompt_distributions")
    assert {"STS14", "ImdbClassification"} <= set(drawn_words(opened))
    opened.page.get_by_label("Tasks", exact=False).first.click()
    opened.page.get_by_role("option", name="STS14").click()
    opened.page.keyboard.press("Escape")
    opened.page.wait_for_url("**/*task=STS14*")
    opened.settle()
    assert "ImdbClassification" not in drawn_words(opened)

    restored = visit(opened.page.url)
    assert drawn_words(restored) == drawn_words(opened)
    assert parameters_of(restored)["task"] == ["STS14"]


def test_state_stays_when_the_visitor_comes_back_to_a_page(address, visit):
    opened = visit(f"{address}/methods?view=Rules")
    links = opened.page.locator("[data-testid=stTopNavLink]")
    links.filter(has_text="Overview").click()
    opened.page.get_by_text("What is in the store").wait_for()
    links.filter(has_text="Methods").click()
    opened.page.get_by_text("1. Score of a run").wait_for()
    assert parameters_of(opened)["view"] == ["Rules"]


def test_a_value_of_the_url_that_is_gone_is_named(address, visit):
    opened = visit(f"{address}/prompt_distributions?task=Foo&snapshot=0999-dead")
    assert "task=Foo is no choice here; showing all" in opened.text()
    assert "snapshot=0999-dead is gone; showing newest" in opened.text()
    assert parameters_of(opened) == {}


def test_a_csv_begins_with_its_settings(address, visit):
    opened = visit(f"{address}/prompt_distributions?task=STS14")
    with opened.page.expect_download() as download:
        opened.page.locator("[class*=st-key-csv-] button").first.click()
    written = download.value.path().read_text("utf-8")
    assert written.startswith("# snapshot: ") and "\n# task: STS14\n" in written


def test_a_picture_is_saved_with_what_it_shows(address, visit):
    opened = visit(f"{address}/prompt_distributions")
    written = {}
    for ending in ("svg", "png"):
        with opened.page.expect_download() as download:
            opened.page.locator(f"button[data-format={ending}]").first.click()
        written[ending] = download.value.path().read_bytes()
    assert b"<desc>snapshot: " in written["svg"] and b"STS14" in written["svg"]
    assert written["png"].startswith(b"\x89PNG") and len(written["png"]) > 10_000


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_have_the_colours_of_the_palette(theme, address, visit):
    opened = visit(address, theme=theme)
    palette = PALETTES[theme]
    colour_of = "(name) => getComputedStyle(document.querySelector(name))"
    assert opened.page.evaluate(f"({colour_of})('.stApp').backgroundColor") == rgb(palette.page)
    assert opened.page.evaluate(f"({colour_of})('.sl-finding').color") == rgb(palette.ink)
    assert opened.page.evaluate(f"({colour_of})('.sl-caption').color") == rgb(palette.ink3)


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[start : start + 2], 16)) for start in (1, 3, 5))})"


def test_hostile_prompts_stand_as_text_and_run_nothing(address, visit):
    opened = visit(f"{address}/prompt_distributions?task=STS14&model=acme%2Ftiny-embed&prompts=all")
    assert opened.page.evaluate("[...document.scripts].filter((s) => s.text.includes('alert(1)')).length") == 0
    assert opened.page.locator("a[href='http://example.invalid']").count() == 0
    assert (
        opened.page.locator(".stMain b", has_text="x")
        .filter(has_text="x")
        .evaluate_all("(found) => found.filter((element) => element.textContent === 'x').length")
        == 0
    )
