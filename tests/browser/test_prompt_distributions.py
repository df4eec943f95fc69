"""The prompt page in a browser: strips are drawn, answer to pointer and keyboard, and the address restores the view."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE_MS, dashboard
from tests.pages.conftest import hand_made_store as hand_made_store
from tests.pages.result_trees import HOSTILE_PROMPTS

pytestmark = pytest.mark.browser
PAGE = "prompt_distributions"


@pytest.fixture(scope="module")
def study(study_store):
    with dashboard(study_store) as address:
        yield f"{address}/{PAGE}"


@pytest.fixture(scope="module")
def hand_made(hand_made_store):
    with dashboard(hand_made_store) as address:
        yield f"{address}/{PAGE}"


def tip(page):
    return page.locator(".strips .tip")


def point_at(page, row, dot):
    """Moves the pointer onto a dot of a row."""
    box = page.locator(".strips .row").nth(row).locator("circle.dot").nth(dot).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_all_cells_are_drawn_and_a_click_lists_the_prompts_of_one(study, visit):
    seen = visit(study)
    page = seen.page
    page.wait_for_selector(".strips .row")
    assert page.locator(".strips svg").count() == 12
    assert page.locator(".strips circle.dot").count() == 2742
    row = page.locator(".strips .row[data-panel='STS14'][data-row='Qwen/Qwen3-Embedding-0.6B']")
    row.locator(".label").click()
    page.wait_for_selector("text=Prompts of Qwen3-Embedding-0.6B on STS14, worst to best")
    assert row.get_attribute("aria-pressed") == "true"
    assert "cell=Qwen" in page.url


def test_choice_of_task_view_and_point_is_restored_in_a_new_tab(study, visit):
    seen = visit(f"{study}?task=Touche2020Retrieval.v3")
    page = seen.page
    page.wait_for_selector(".strips .row")
    box = page.locator(".strips .row[data-row='BAAI/bge-base-en-v1.5'] circle.dot").first.bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + 4)
    page.wait_for_selector("text=The prompt you clicked scores")
    assert "Prompts of bge-base-en-v1.5 on Touche2020Retrieval.v3" in seen.text()
    page.get_by_text("Variation", exact=True).click()
    page.wait_for_selector("text=How much do scores vary over prompts?")
    again = visit(page.url)
    assert "How much do scores vary over prompts?" in again.text()
    assert "Prompts of bge-base-en-v1.5 on Touche2020Retrieval.v3" in again.text()
    assert "Touche2020Retrieval.v3" in again.page.inner_text("[data-testid=stMultiSelect]")


def test_ends_of_a_strip_carry_the_worst_and_the_best_prompt(study, visit):
    page = visit(f"{study}?task=Touche2020Retrieval.v3", width=800).page
    page.wait_for_selector(".strips .row")
    texts = page.locator(".strips .row[data-row='BAAI/bge-small-en-v1.5'] text.end").all_text_contents()
    low, high = (text.replace("\u2068", "").replace("\u2069", "") for text in texts)
    assert low.startswith("0.9") and "Retrieve rel" in low
    assert high.endswith("52.7") and "Search query:" in high


@pytest.mark.parametrize("address", ["", "?task=STS14", "?model=Qwen%2FQwen3-Embedding-0.6B"])
def test_nothing_stands_outside_its_picture(address, study, visit):
    page = visit(f"{study}{address}").page
    page.wait_for_selector(".strips .row")
    for width in (720, 1300):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert page.evaluate(OUTSIDE) == []


OUTSIDE = """() => {
    const roots = [...document.querySelectorAll('*')].map((element) => element.shadowRoot?.querySelector('.strips'));
    const root = roots.find(Boolean);
    const area = root.getBoundingClientRect();
    const beyond = (box) => box.left < area.left - 2 || box.right > area.right + 2;
    return [...root.querySelectorAll('svg text, svg circle, svg polygon')]
        .filter((element) => beyond(element.getBoundingClientRect()))
        .map((element) => element.textContent || element.className.baseVal);
}"""


def test_hover_gives_value_model_and_text_and_rings_the_same_prompt_elsewhere(study, visit):
    page = visit(f"{study}?task=STS14").page
    page.wait_for_selector(".strips .row")
    point_at(page, 0, 10)
    said = tip(page).inner_text()
    assert "Qwen3-Embedding-0.6B, STS14" in said or "KaLM" in said or "multilingual-e5" in said
    assert page.locator(".strips .ring.kin").count() == 5


def test_keyboard_walks_rows_and_points_and_enter_lists(study, visit):
    page = visit(study).page
    page.wait_for_selector(".strips .row")
    page.locator(".strips .row").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert tip(page).is_visible()
    page.keyboard.press("Escape")
    assert tip(page).is_hidden()
    second = page.locator(".strips .row").nth(1)
    assert second.evaluate("(row) => row.getRootNode().activeElement === row")
    name = second.get_attribute("aria-label").split(":")[0]
    page.keyboard.press("Enter")
    page.wait_for_selector(f"text=Prompts of {name}")


def test_hostile_prompts_are_text_in_hover_and_at_the_ends(hand_made, visit):
    page = visit(f"{hand_made}?task=STS14").page
    page.wait_for_selector(".strips .row")
    shown = set()
    page.locator(".strips .row").first.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
        shown.add(page.locator(".strips .tip .text").evaluate("(element) => element.textContent"))
    long = next(prompt for prompt in HOSTILE_PROMPTS if len(prompt) > 1000)
    assert set(HOSTILE_PROMPTS) - {long} <= shown
    assert any(text.startswith("long long") and text.endswith("…") for text in shown)
    assert page.locator(".strips .tip .text *").count() == 0


def test_every_view_draws_at_800_pixels_in_dark_without_complaint(study, visit):
    page = visit(study, width=800, theme="dark").page
    for view, words in {
        "Place of the reference": "How often is it high, by model?",
        "Variation": "How much do scores vary over prompts?",
        "Kinds of prompt": "Does one prompt suit every model?",
        "Distributions": "one prompt",
    }.items():
        page.get_by_text(view, exact=True).click()
        page.wait_for_selector(f"text={words}")
        # A view that is being replaced may be looked at in between: the colour is awaited, not sampled once.
        label = page.locator(".strips .row .label").first
        expect(label).to_have_css("fill", re.compile(r"rgb\((179, 187, 197|230, 233, 237)\)"), timeout=PATIENCE_MS)


def test_picture_is_saved_as_svg_with_every_dot(hand_made, visit):
    page = visit(hand_made).page
    page.wait_for_selector(".strips .row")
    with page.expect_download() as saving:
        page.get_by_role("button", name="SVG").first.click()
    drawing = saving.value.path().read_text("utf-8")
    assert drawing.startswith("<svg") and drawing.count("<circle") == 60
    assert "var(--" not in drawing
