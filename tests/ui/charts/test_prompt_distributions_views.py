"""Pictures of places, variation, kinds and prompts × models: counts, encodings, escaping."""

import polars as pl
import pytest

from engine.analysis.calls import calls_by_model, count_tenths
from engine.analysis.references import Reference
from engine.analysis.variation import prompt_matrix, spread_by_kind
from tests.engine.analysis.conftest import make_records, place
from ui.charts import prompt_distributions_kinds as kinds
from ui.charts.prompt_distributions_heat import EMPTY, prompt_heat
from ui.charts.prompt_distributions_place import MOST_MARKS, place_grid, place_stack, share_strips
from ui.charts.prompt_distributions_variation import cv_strips
from ui.charts.theme import DARK, LIGHT

HOSTILE = "<b>x</b><br>%{y} <a href='x'>y</a>"
MODELS = ("org/alpha", "org/beta")
KIND_OF = {"label": "label-like", "topic": "names the topic"}


@pytest.fixture(scope="module")
def answer():
    texts = [f"{kind} {number}" for kind in KIND_OF for number in range(5)]
    given = {text: 0.3 + (n % 5) / 50 + (0.3 if "topic" in text else 0) for n, text in enumerate(texts)}
    tasks = ("STS14", "STS15", "Touche2020Retrieval.v3")
    scores = {(model, task): given for model in MODELS for task in tasks}
    defaults = {cell: 0.9 if cell[0] == MODELS[0] else 0.05 for cell in scores}
    defaults.pop((MODELS[1], "STS15"))
    authors = {text: ["handwritten"] if text.endswith("0") else ["some-model"] for text in texts}
    return place(
        make_records(scores, defaults, kinds={text: KIND_OF[text.split()[0]] for text in texts}, generators=authors)
    )


def traces(figure):
    return figure.to_dict()["data"]


def test_stack_has_one_mark_a_called_cell_in_its_tenth(answer):
    marks = traces(place_stack(answer.cells, Reference.SAME_HARNESS, LIGHT))
    assert {trace["name"]: len(trace["x"]) for trace in marks} == {"high": 3, "low": 2}
    tenths = count_tenths(answer.cells)
    stacked = sorted(int(x) for trace in marks for x in trace["x"])
    assert stacked == [row["tenth"] for row in tenths.iter_rows(named=True) for _ in range(row["n"])]


def test_stack_marks_have_the_shape_and_colour_of_their_call(answer):
    for palette in (LIGHT, DARK):
        by_call = {
            trace["name"]: trace["marker"] for trace in traces(place_stack(answer.cells, "same-harness", palette))
        }
        assert (by_call["high"]["symbol"], by_call["high"]["color"]) == ("triangle-up", palette.calls["high"])
        assert (by_call["low"]["symbol"], by_call["low"]["color"]) == ("triangle-down", palette.calls["low"])


def test_stack_says_how_many_each_tenth_would_hold_by_chance(answer):
    layout = place_stack(answer.cells, Reference.SAME_HARNESS, LIGHT).to_dict()["layout"]
    words = [note["text"] for note in layout["annotations"]]
    assert any(text.startswith("0.5 in each tenth") for text in words)
    assert words.count("0") == 8 and "<b>3</b>" in words and "<b>2</b>" in words


def test_stack_of_too_many_cells_is_bars():
    cells = pl.DataFrame(
        {"place_midrank": [0.95] * (MOST_MARKS + 1), "call": "high", "task_name": "T", "model_name": "m"}
    )
    assert [trace["type"] for trace in traces(place_stack(cells, Reference.SAME_HARNESS, LIGHT))] == ["bar"]


def test_stack_of_nothing_called_is_empty(answer):
    uncalled = answer.cells.with_columns(call=pl.lit(None, pl.String))
    assert traces(place_stack(uncalled, Reference.SAME_HARNESS, LIGHT)) == []


def test_grid_has_a_figure_a_glyph_and_a_target_for_every_called_cell(answer):
    drawn = traces(place_grid(answer.cells, Reference.SAME_HARNESS, LIGHT))
    assert drawn[0]["type"] == "heatmap"
    figures = next(trace for trace in drawn if trace.get("mode") == "text")
    assert sorted(figures["text"]) == ["0", "0", "100", "100", "100"]
    glyphs = {trace["name"]: len(trace["x"]) for trace in drawn if trace.get("name") in ("high", "low")}
    assert glyphs == {"high": 3, "low": 2}
    targets = next(trace for trace in drawn if trace.get("name") == "targets")
    assert {tuple(pair) for pair in targets["customdata"]} == {
        (row["model_name"], row["task_name"]) for row in answer.cells.drop_nulls("call").iter_rows(named=True)
    }


def test_hover_says_the_value_first_and_is_escaped():
    records = make_records({(HOSTILE, "T"): {f"p{n}": n / 10 for n in range(6)}}, {(HOSTILE, "T"): 0.9})
    for figure in (place_stack, place_grid):
        drawn = traces(figure(place(records).cells, Reference.SAME_HARNESS, LIGHT))
        text = next(trace["hovertext"][0] for trace in drawn if "hovertext" in trace)
        assert text.startswith("<b>100")
        assert "<a " not in text and "%{y}" not in text


def test_shares_of_high_cells_carry_their_interval_and_chance(answer):
    picture = share_strips(calls_by_model(answer.cells), answer.cells)
    rows = {row.id: row for row in picture.panels[0].rows}
    assert picture.line == pytest.approx(10)
    assert rows[MODELS[0]].columns == ("3 of 3", "44–100 %")
    assert rows[MODELS[0]].marks[0].value == 100 and rows[MODELS[0]].reach[1] == 100
    assert rows[MODELS[1]].columns[0] == "0 of 2"


def test_variation_has_a_dot_a_task_and_names_the_long_tail(answer):
    picture = cv_strips(answer.cells, named_from=0.2)
    assert [len(row.values) for row in picture.panels[0].rows] == [3, 3]
    names = [name for row in picture.panels[0].rows for _, name in row.named]
    assert names and all(name.split()[0] in ("STS14", "STS15", "Touche2020") for name in names)
    assert cv_strips(answer.cells, named_from=9.0).panels[0].rows[0].named == []
    assert picture.suffix == " %"


def test_kinds_have_a_panel_a_model_and_a_dot_a_task(answer):
    spread = spread_by_kind(answer.scores, answer.prompts)
    picture = kinds.kind_panels(spread.kinds, answer.cells)
    assert [panel.id for panel in picture.panels] == list(MODELS)
    best, worst = picture.panels[0].rows
    assert (best.id, worst.id) == ("names the topic", "label-like")
    assert best.values == pytest.approx([15.0] * 3) and best.columns == ("+15.0",)
    assert picture.line == 0.0


def test_kinds_of_one_task_have_a_dot_a_prompt(answer):
    one = place(answer.records, answer.records.prompts.filter(task_name="STS14"))
    picture = kinds.prompt_kind_panels(one)
    assert picture.dots == 2 * 10
    assert [row.note for row in picture.panels[0].rows] == ["n 5", "n 5"]


def test_variation_within_kinds_stands_beside_that_of_all_prompts(answer):
    spread = spread_by_kind(answer.scores, answer.prompts)
    rows = kinds.kind_cv_strips(spread.kinds, answer.cells).panels[0].rows
    assert len(rows) == 6
    cell = answer.cells.filter(pl.col("cv") == pl.col("cv").max()).row(0, named=True)
    assert rows[0].marks[0].value == pytest.approx(cell["cv"] * 100)
    assert len(rows[0].values) == 2 and max(rows[0].values) < rows[0].marks[0].value


def test_authors_have_a_row_each_for_every_model_that_has_both(answer):
    picture = kinds.author_panels(answer, MODELS)
    assert {panel.id for panel in picture.panels} == {"Touche2020Retrieval.v3", "STS14", "STS15"}
    assert {row.label.split(", ")[1]: len(row.values) for row in picture.panels[0].rows} == {
        "generated": 8,
        "handwritten": 2,
    }


def test_heat_map_has_a_figure_for_every_score_and_the_place_as_colour(answer):
    drawn = traces(prompt_heat(prompt_matrix(answer.scores, answer.prompts, "STS14"), list(MODELS), LIGHT))
    assert len(drawn[1]["text"]) == 2 * 10
    column = [row[0] for row in drawn[0]["z"]]
    assert max(column) == 1 and min(column) == 0


def test_heat_map_shows_hostile_prompts_as_text():
    cell = ("org/m", "T")
    records = make_records({cell: {HOSTILE: 0.1, "": 0.2, "a\nb": 0.3}})
    answer = place(records)
    figure = prompt_heat(prompt_matrix(answer.scores, answer.prompts, "T"), ["org/m"], DARK).to_dict()
    labels = " ".join(figure["layout"]["yaxis"]["ticktext"])
    hovers = " ".join(figure["data"][1]["hovertext"])
    for text in (labels, hovers):
        assert "<a " not in text and "%{y}" not in text and "&lt;b&gt;x" in text
        assert EMPTY in text


def test_heat_map_of_one_prompt_has_no_place_and_still_draws():
    answer = place(make_records({("org/m", "T"): {"only": 0.3}}))
    figure = prompt_heat(prompt_matrix(answer.scores, answer.prompts, "T"), ["org/m"], LIGHT)
    assert list(traces(figure)[1]["text"]) == ["30.0"]
