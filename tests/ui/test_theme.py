import re
from pathlib import Path

import pytest

from ui.charts import theme

ROOT = Path(__file__).resolve().parents[2]
HEX = re.compile(r"#[0-9a-f]{6}")
palettes = pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=lambda palette: palette.name)


@palettes
def test_palette_has_a_colour_for_every_call_and_task_type(palette):
    assert set(palette.calls) == set(theme.GLYPHS)
    assert tuple(palette.task_types) == theme.TASK_TYPES
    assert len(set(palette.models)) == 7
    colours = [*palette.models, *palette.calls.values(), *palette.task_types.values(), *palette.sequential]
    assert all(HEX.fullmatch(colour) for colour in colours)


@palettes
def test_text_can_be_read_on_its_page(palette):
    assert theme.contrast(palette.ink, palette.page) > 7
    assert theme.contrast(palette.ink2, palette.page) > 4.5
    assert all(theme.contrast(colour, palette.page) > 4.5 for colour in palette.calls.values())


@palettes
def test_text_on_a_fill_is_the_one_with_more_contrast(palette):
    for fill in (*palette.task_types.values(), *palette.models, *palette.sequential):
        chosen = theme.text_on(fill)
        assert theme.contrast(chosen, fill) == max(theme.contrast(text, fill) for text in ("#ffffff", "#14171c"))
        assert theme.contrast(chosen, fill) > 3


@palettes
def test_a_model_keeps_its_colour_whoever_else_is_chosen(palette):
    order = [f"model-{number}" for number in range(7)]
    alone = {model: palette.model_colours([model], order)[model] for model in order}
    together = palette.model_colours(list(reversed(order)), order)
    assert together == alone and len(set(together.values())) == 7


@palettes
def test_an_eighth_model_is_grey_and_no_two_share_a_colour(palette):
    order = [f"model-{number}" for number in range(30)]
    chosen = [order[number] for number in (0, 7, 14, 21, 3, 9, 25, 29)]
    colours = palette.model_colours(chosen, order)
    grey = [model for model, colour in colours.items() if colour == palette.other_model]
    assert len(set(colours.values())) == 8 and grey == [order[29]]


def test_a_task_has_the_colour_of_its_type_and_an_unknown_one_is_grey():
    assert theme.LIGHT.task_colour("Retrieval") == "#6699ee"
    assert theme.LIGHT.task_colour(None) == theme.LIGHT.task_colour("Speech") == theme.LIGHT.other_task_type


def test_css_variables_hold_both_themes():
    css = theme.css_variables()
    assert f"--sl-high:light-dark({theme.LIGHT.calls['high']},{theme.DARK.calls['high']});" in css
    used = set(re.findall(r"var\(--sl-([a-z0-9]+)\)", (ROOT / "ui" / "style.css").read_text("utf-8")))
    assert used and not [name for name in used if f"--sl-{name}:" not in css]


def test_streamlit_config_has_the_same_colours():
    config = (ROOT / ".streamlit" / "config.toml").read_text("utf-8")
    light, dark = config.split("[theme.light]")[1].split("[theme.dark]")
    for palette, section in ((theme.LIGHT, light), (theme.DARK, dark)):
        for key, colour in (
            ("primaryColor", palette.accent),
            ("backgroundColor", palette.page),
            ("secondaryBackgroundColor", palette.surface),
            ("textColor", palette.ink),
            ("borderColor", palette.rule),
        ):
            assert f'\n{key} = "{colour}"\n' in section


def test_mixing_lays_a_colour_over_its_ground():
    assert theme.mixed("#ffffff", "#000000", 0.0) == "#000000"
    assert theme.mixed("#ff0000", "#0000ff", 1.0) == "#ff0000"
    assert theme.mixed("#ffffff", "#000000", 0.5) == "#808080"
