"""The language page in a browser: papers are drawn, a click opens a language, and the address restores the view."""

import pytest

from tests.browser.conftest import dashboard

pytestmark = pytest.mark.browser
MODEL = "model=Qwen%2FQwen3-Embedding-8B"


@pytest.fixture(scope="module")
def languages(study_store):
    with dashboard(study_store) as address:
        yield f"{address}/language_composition"


def bars(page):
    return page.locator(".st-key-picture-papers .barlayer .point")


def test_papers_fit_the_picture_and_their_words_are_never_shrunk(languages, visit):
    seen = visit(f"{languages}?{MODEL}", width=800)
    page = seen.page
    bars(page).first.wait_for()
    assert 100 < bars(page).count() <= 600
    written = page.locator(".st-key-picture-papers .barlayer .point text")
    scales = written.evaluate_all("all => all.map(each => each.getAttribute('transform') || '')")
    shrunk = [scale for scale in scales if "scale(" in scale and "scale(0)" not in scale]
    assert not shrunk, "text that does not fit is hidden"
    assert "BibleNLPBitextMining" in page.locator(".st-key-picture-papers .infolayer").first.text_content()


def test_click_on_a_paper_opens_the_language(languages, visit):
    seen = visit(f"{languages}?{MODEL}")
    page = seen.page
    bars(page).first.wait_for()
    last = bars(page).last
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("text=What the score is made of")
    assert "view=One" in page.url
    again = visit(page.url)
    again.page.wait_for_selector("text=What the score is made of")


def test_table_keeps_the_model_in_sight_at_800_pixels(languages, visit):
    seen = visit(f"{languages}?view=Table", width=800)
    page = seen.page
    page.wait_for_selector(".sl-scores tbody tr")
    wide = page.locator(".sl-wide")
    wide.evaluate("each => { each.scrollLeft = 600 }")
    name = page.locator(".sl-scores tbody th").first.bounding_box()
    assert name["x"] >= wide.bounding_box()["x"] - 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
