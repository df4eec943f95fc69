"""Strips of prompt scores: what stands where, what is said of it, and that texts stay texts."""

import json

import polars as pl
import pytest

from engine.analysis.prompt_distributions import distribute
from engine.analysis.references import Reference
from tests.engine.analysis.conftest import make_records, place
from ui.charts import prompt_distributions as charts
from ui.charts.strips import MOST_DOTS, Panel, Picture, Row, digest

A, B = "org/alpha-embed", "org/beta-embed"
HOSTILE = '<b>x</b><br>%{y} "$5"\n' + "long " * 100


def answer_of(n=6, defaults=None, published=(), reference=Reference.SAME_HARNESS, **columns):
    """Two models on two tasks; the first prompt is hostile, scores rise with the prompt's number."""
    texts = [HOSTILE, "", "Label: ", *(f"prompt {number}" for number in range(3, n))]
    scores = {
        (model, task): {text: 0.1 + number / 20 + shift for number, text in enumerate(texts)}
        for model, shift in ((A, 0.2), (B, 0.0))
        for task in ("STS14", "ImdbClassification")
    }
    given = {(A, "STS14"): 0.9, (B, "STS14"): 0.01, (A, "ImdbClassification"): 0.42} if defaults is None else defaults
    return place(make_records(scores, given, published, **columns), reference=reference)


def rows_of(picture):
    return {(panel.id, row.id): row for panel in picture.panels for row in panel.rows}


def test_panels_have_a_row_for_every_cell_and_a_dot_for_every_prompt():
    picture = charts.task_panels(answer_of())
    assert [panel.id for panel in picture.panels] == ["ImdbClassification", "STS14"]
    assert set(rows_of(picture)) == {(task, model) for task in ("STS14", "ImdbClassification") for model in (A, B)}
    assert picture.dots == 4 * 6
    assert [panel.note for panel in picture.panels] == ["n 6", "n 6"]


def test_few_cells_have_roomy_panels_and_whole_names_many_have_small_ones():
    few = charts.task_panels(answer_of())
    assert few.roomy and few.panels[0].rows[0].label == "alpha-embed"
    cells = {(f"org/some-embedding-model-{m}", f"T{t}"): {"p": 0.1} for m in range(5) for t in range(5)}
    many = charts.task_panels(place(make_records(cells)))
    assert not many.roomy and many.panels[0].rows[0].label == "some-0"


def test_models_stand_in_one_order_in_all_panels_best_median_first():
    for panel in charts.task_panels(answer_of()).panels:
        assert [row.id for row in panel.rows] == [A, B]


def test_mark_is_shaped_by_its_call_and_coloured_with_its_value():
    rows = rows_of(charts.task_panels(answer_of()))
    shapes = {key: [(mark.shape, mark.hollow) for mark in row.marks] for key, row in rows.items()}
    assert shapes == {
        ("STS14", A): [("high", False)],
        ("STS14", B): [("low", False)],
        ("ImdbClassification", A): [("typical", False)],
        ("ImdbClassification", B): [],
    }
    assert (rows["STS14", A].tone, rows["STS14", A].columns) == ("high", ("90.0",))
    assert (rows["ImdbClassification", B].tone, rows["ImdbClassification", B].columns) == ("", ("–",))


def test_band_median_and_dots_are_points_of_the_same_scores():
    row = rows_of(charts.task_panels(answer_of()))["STS14", B]
    assert sorted(row.values) == pytest.approx([10, 15, 20, 25, 30, 35])
    assert row.median == pytest.approx(22.5)
    assert row.band == pytest.approx((12.5, 32.5))
    assert row.reach is None


def test_own_axis_holds_dots_and_marks_of_its_task_only():
    panels = {panel.id: panel for panel in charts.task_panels(answer_of()).panels}
    assert (panels["STS14"].lo, panels["STS14"].hi) == pytest.approx((1, 90))
    assert (panels["ImdbClassification"].lo, panels["ImdbClassification"].hi) == pytest.approx((10, 55))


def test_points_from_the_reference_share_one_axis_and_put_the_reference_at_zero():
    picture = charts.task_panels(answer_of(), scale="reference")
    assert (picture.line, picture.away) == (0.0, "the reference")
    assert len({(panel.lo, panel.hi) for panel in picture.panels}) == 1
    row = rows_of(picture)["STS14", A]
    assert row.marks[0].value == pytest.approx(0)
    assert row.zero + min(row.values) == pytest.approx(30)
    unreferenced = rows_of(picture)["ImdbClassification", B]
    assert (list(unreferenced.values), unreferenced.message) == ([], "no reference score")


def test_one_task_has_a_row_a_model_with_ends_and_value_columns():
    answer = answer_of()
    one = place(answer.records, answer.records.prompts.filter(task_name="STS14"))
    picture = charts.model_strips(one)
    assert (picture.wide, picture.ends, picture.heads) == (True, True, ("default", "median", "at or above", "call"))
    high, low = picture.panels[0].rows
    assert (high.id, high.columns) == (A, ("90.0", "42.5", "6 of 6", "▲ high"))
    assert (low.id, low.columns) == (B, ("1.0", "22.5", "0 of 6", "▼ low"))


def test_one_model_has_a_row_a_task_named_by_the_task():
    whole = answer_of()
    picture = charts.task_strips(distribute(whole.records, whole.records.prompts, whole.reading, models=(A,)))
    assert picture.panels[0].id == A
    assert [(row.id, row.label) for row in picture.panels[0].rows] == [
        ("ImdbClassification", "ImdbClassification"),
        ("STS14", "STS14"),
    ]


def test_texts_reach_the_picture_as_they_are_with_what_the_eye_would_miss():
    texts = {text.id: text for text in charts.task_panels(answer_of()).texts}
    assert texts[HOSTILE].shown == charts.shortened(HOSTILE, charts.LONGEST_HOVER)
    assert texts[HOSTILE].shown.startswith('<b>x</b><br>%{y} "$5"\nlong')
    assert texts[""].shown == "" and texts[""].by.startswith("empty prompt")
    assert texts["Label: "].shown == "Label: " and "ends in a space" in texts["Label: "].by
    json.dumps(charts.task_panels(answer_of()).as_data())


def test_clicked_text_is_that_of_the_dot():
    picture = charts.task_panels(answer_of())
    row = rows_of(picture)["STS14", B]
    lowest = min(range(len(row.values)), key=row.values.__getitem__)
    assert picture.texts[row.texts[lowest]].id == HOSTILE


def test_published_score_is_a_second_mark_beside_the_default_run():
    published = [((A, "STS14"), 0.95, {"source_name": "mteb"})]
    row = rows_of(charts.task_panels(answer_of(published=published)))["STS14", A]
    assert [(mark.shape, mark.hollow) for mark in row.marks] == [("published", True), ("high", False)]
    assert "harness gap +5.0 points" in row.marks[0].says


def test_published_reference_is_hollow_and_the_default_run_the_second_mark():
    published = [((A, "STS14"), 0.95, {"source_name": "mteb"})]
    answer = answer_of(published=published, reference=Reference.PUBLISHED_MATCHED)
    (row,) = rows_of(charts.task_panels(answer)).values()
    assert [(mark.shape, mark.hollow, round(mark.value, 6)) for mark in row.marks] == [
        ("harness", False, 90.0),
        ("high", True, 95.0),
    ]


def test_partial_rows_are_said_in_the_cell():
    cell = ("org/m", "T")
    prompts = {cell: {f"p{n}": {"a": n / 10, "b": n / 10} for n in range(6)}}
    records = make_records(prompts, published=[(cell, {"a": 0.9}, {"source_name": "mteb"})])
    answer = place(records, reference=Reference.PUBLISHED_MATCHED)
    assert rows_of(charts.task_panels(answer))["T", "org/m"].note == "1 of 2 rows"
    assert charts.model_strips(answer).panels[0].rows[0].note == "1 of 2 rows"


def test_off_label_prompts_and_unlike_conditions_are_marked():
    answer = answer_of(schemes={A: "fixed prefix"}, default_columns={"model_revision": "r2"})
    rows = rows_of(charts.task_panels(answer))
    assert rows["STS14", A].label.endswith("†≠")
    assert rows["STS14", B].label.endswith("≠") and "†" not in rows["STS14", B].label
    one = place(answer.records, answer.records.prompts.filter(task_name="STS14"))
    assert charts.model_strips(one).panels[0].rows[0].note == "off-label † · ≠ model revision"


def test_tasks_stand_by_type_then_by_name():
    types = {"B": "Retrieval", "A": "STS", "C": "Retrieval", "D": None}
    frame = pl.DataFrame({"task_name": list(types), "task_type": list(types.values())})
    assert charts.task_order(frame) == ["B", "C", "A", "D"]


def test_what_ran_is_said_and_nothing_is_called_the_default_that_is_not_known():
    def text(**columns):
        return rows_of(charts.task_panels(answer_of(default_columns=columns)))["STS14", A].marks[0].text

    assert text() == "what stood before the texts is not recorded"
    assert text(origin_none="model default", prompt_none="query: ") == "model default: query: "
    assert text(origin_none="none") == "prompt: none"


def test_no_call_is_a_square_with_its_reason():
    cell = ("org/m", "T")
    answer = place(make_records({cell: {"p": 0.1, "q": 0.2}}, {cell: 0.3}))
    row = rows_of(charts.task_panels(answer))["T", "org/m"]
    assert row.marks[0].shape == "none" and "fewer than 5 prompts" in row.marks[0].says
    assert charts.model_strips(answer).panels[0].rows[0].columns[-1] == "no call"


def test_more_scores_than_dots_can_show_become_bands():
    cells = {("org/m", f"T{t:02}"): {f"p{n:03}": n / 200 for n in range(101)} for t in range(MOST_DOTS // 100)}
    picture = charts.task_panels(place(make_records(cells)))
    assert picture.dots == 0
    row = rows_of(picture)["T00", "org/m"]
    assert row.reach == pytest.approx((0, 50)) and row.band is not None


def test_cells_without_a_score_say_so():
    cell = ("org/m", "T")
    answer = place(make_records({cell: {f"p{n}": None for n in range(6)}}))
    (row,) = rows_of(charts.task_panels(answer)).values()
    assert row.message == "no prompt score on these rows" and not row.values


def test_digest_changes_with_the_picture_and_only_then():
    def picture(value):
        return Picture([Panel("p", [Row("r", "r", "r", "r", values=[value], texts=[0])], 0, 1)], "says")

    assert digest(picture(0.5).as_data()) == digest(picture(0.5).as_data())
    assert digest(picture(0.5).as_data()) != digest(picture(0.6).as_data())
