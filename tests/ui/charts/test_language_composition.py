"""Pictures of language scores: areas that add up, hatches where nothing is, rings and dots where they belong."""

import pytest
from plotly.graph_objects import Figure

from engine.analysis.contamination import read_declarations
from engine.analysis.language_composition import PART_COLUMN, Part, compose
from engine.analysis.language_papers import lay_out_papers
from engine.analysis.language_scores import WhatIf
from engine.analysis.language_what_if import compare_what_if, leave_each_out
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, SWA, board
from ui.charts.language_composition import Grouping, variwide
from ui.charts.language_composition_grid import Mark, mark_grid
from ui.charts.language_composition_intervals import Estimate, estimates
from ui.charts.language_composition_papers import paper_name, paper_rows
from ui.charts.language_composition_trained import declared_against_rank
from ui.charts.language_composition_what_if import MOST_PARTS, lollipops, moved_languages
from ui.charts.theme import DARK, LIGHT

A, HOSTILE = "org/a", "evil/<b>x<br>%{y}"
BIBLE = [("Bible/train", (ENG, MAL), 0.1), ("Bible/train", (ENG, DEU), 0.3), ("Bible/train", (ENG, HIN), 0.2)]
SMALL = [(f"Small{i:02}", (ENG,), 0.5) for i in range(12)]
RECORDS = board(
    [
        *((A, task, languages, score) for task, languages, score in (*BIBLE, *SMALL)),
        (A, "Search", (ENG,), 0.8), (A, "Search", (DEU,), 0.6), (HOSTILE, "Search", (ENG,), 0.9),
    ],
    types={"Bible": "BitextMining"} | {task: "Classification" for task, _, _ in SMALL},
    described=[("Flores/devtest", (SWA, DEU)), ("Flores/devtest", (DEU, MAL))],
    models={A: {"training_datasets": ["Search"], "training_closure": ["Search"]}},
)  # fmt: skip


def valid(figure: Figure) -> dict:
    """The figure's parts, after Plotly has checked every one of them."""
    return Figure(figure.to_dict()).to_dict()


def texts(drawn: dict) -> list[str]:
    return [note["text"] for note in drawn["layout"]["annotations"]]


@pytest.mark.parametrize("grouping", list(Grouping))
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda palette: palette.name)
def test_areas_add_up_to_the_score(grouping, palette):
    composition = compose(RECORDS, A, ENG)
    (bars,) = valid(variwide(composition, grouping, palette))["data"]
    assert sum(bars["width"]) == pytest.approx(1.0)
    area = sum(width * height for width, height in zip(bars["width"], bars["y"], strict=True))
    assert area == pytest.approx(composition.score * 100)


def test_bars_stand_side_by_side_without_gaps():
    (bars,) = valid(variwide(compose(RECORDS, A, ENG), Grouping.NONE, LIGHT))["data"]
    starts = [middle - width / 2 for middle, width in zip(bars["x"], bars["width"], strict=True)]
    ends = [middle + width / 2 for middle, width in zip(bars["x"], bars["width"], strict=True)]
    assert starts == pytest.approx([0.0, *ends[:-1]])
    assert bars["customdata"][0] == "Small00" or max(bars["width"]) == bars["width"][0]


def test_grouping_by_type_keeps_the_order_of_task_types():
    (bars,) = valid(variwide(compose(RECORDS, A, ENG), Grouping.TASK_TYPE, LIGHT))["data"]
    assert bars["customdata"][0] == "Bible"
    assert bars["marker"]["color"][0] == LIGHT.task_types["BitextMining"]
    assert bars["marker"]["color"][-1] == LIGHT.task_types["Classification"]


def test_train_split_is_written_on_its_bar():
    (bars,) = valid(variwide(compose(RECORDS, A, ENG), Grouping.NONE, LIGHT))["data"]
    assert "(train)" in bars["text"][list(bars["customdata"]).index("Bible")]


def test_papers_hatch_what_has_no_score_and_keep_its_width():
    papers = lay_out_papers(RECORDS, A, (DEU, ENG))
    drawn = valid(paper_rows(papers, (ENG,), LIGHT))
    scored, missing = drawn["data"][:2]
    assert "pattern" not in scored["marker"]
    assert missing["marker"]["pattern"]["shape"] == "/"
    assert list(missing["customdata"]) == [DEU]
    assert missing["x"][0] == pytest.approx(0.5)
    assert missing["text"][0].endswith("50\u202f%, no scores")
    for language in (DEU, ENG):
        widths = [
            width
            for trace in (scored, missing)
            for width, code in zip(trace["x"], trace["customdata"], strict=True)
            if code == language
        ]
        assert sum(widths) == pytest.approx(1.0)


def test_height_of_a_paper_bar_is_its_mean():
    papers = lay_out_papers(RECORDS, A, (ENG,))
    scored = valid(paper_rows(papers, (), LIGHT))["data"][0]
    means = dict(papers.tasks.select("task_name", "mean").iter_rows())
    heights = dict(zip(scored["hovertext"], scored["width"], strict=True))
    bible = next(height for words, height in heights.items() if "Bible" in words)
    search = next(height for words, height in heights.items() if "Search" in words)
    assert bible / search == pytest.approx(means["Bible"] / means["Search"])


def test_pinned_language_is_taller_and_has_its_largest_task_written_out():
    papers = lay_out_papers(RECORDS, A, (ENG, DEU))
    plain, pinned = (valid(paper_rows(papers, pins, LIGHT)) for pins in ((), (ENG,)))
    assert pinned["layout"]["height"] > plain["layout"]["height"]
    assert not [text for text in texts(plain) if "3 rows" in text]


def test_score_line_goes_from_all_rows_to_the_rows_without_the_largest_task():
    papers = lay_out_papers(RECORDS, A, (ENG,))
    drawn = valid(paper_rows(papers, (ENG,), LIGHT))
    ring, dot = drawn["data"][-2:]
    row = papers.languages.row(0, named=True)
    assert ring["marker"]["symbol"] == "circle-open"
    assert ring["x"][0] == pytest.approx(row["score"] * 100)
    assert dot["x"][0] == pytest.approx(row["score_without"] * 100)


def test_only_one_subplot_has_bars():
    """Plotly forgets the least text size of the first subplot's bars when a second subplot has bars too."""
    drawn = valid(paper_rows(lay_out_papers(RECORDS, A, (ENG, DEU)), (ENG,), LIGHT))
    assert {trace.get("xaxis", "x") for trace in drawn["data"] if trace["type"] == "bar"} == {"x"}


def test_language_without_a_score_has_a_row_and_no_mark():
    drawn = valid(paper_rows(lay_out_papers(RECORDS, A, (SWA,)), (SWA,), LIGHT))
    assert drawn["layout"]["yaxis"]["ticktext"]
    assert list(drawn["data"][-1]["x"]) == []


def test_lollipops_lead_from_the_score_to_the_score_without():
    without = leave_each_out(RECORDS, A, ENG)
    score = compose(RECORDS, A, ENG).score
    stems, dots = valid(lollipops(without, PART_COLUMN[Part.TASK], score, LIGHT))["data"]
    assert len(dots["x"]) == min(MOST_PARTS, without.height)
    assert dots["customdata"][0] == without["task_name"][0]
    assert [base + length for base, length in zip([stems["base"]] * len(stems["x"]), stems["x"], strict=True)] == (
        pytest.approx(list(dots["x"]))
    )


def test_moved_languages_ring_before_dot_after_and_place_beside():
    moved = compare_what_if(RECORDS, WhatIf(drop_tasks=("Bible",))).languages_of(A, (ENG, DEU, MAL))
    drawn = valid(moved_languages(moved, RECORDS.labels, ENG, LIGHT))
    _, ring, dot = drawn["data"]
    at = list(ring["customdata"]).index(MAL)
    assert dot["x"][at] is None, "nothing is left of Malayalam"
    assert f"{moved['place_before'][at]} → –" in texts(drawn)
    assert "<b>\u2068English\u2069</b>" in drawn["layout"]["yaxis"]["ticktext"]


def test_declared_dots_and_unknown_rings_stand_apart():
    declared = read_declarations(RECORDS)
    dots, rings = valid(declared_against_rank(declared.models, HOSTILE, LIGHT))["data"]
    assert list(dots["customdata"]) == [A]
    assert list(dots["y"]) == [1]
    assert list(rings["customdata"]) == [HOSTILE]
    assert rings["marker"]["symbol"] == "circle-open"
    assert rings["y"][0] < 0, "unknown is not zero"


@pytest.mark.parametrize(
    "drawn",
    [
        declared_against_rank(read_declarations(RECORDS).models, HOSTILE, LIGHT),
        estimates([Estimate(HOSTILE, HOSTILE, 1.0, 0.5, 1.5, True, "", ("1",))], ("head",), LIGHT),
        mark_grid([HOSTILE], [HOSTILE], [Mark(0, 0, "circle", LIGHT.accent, 9, "")], [HOSTILE], LIGHT),
    ],
    ids=["declared", "estimates", "grid"],
)
def test_foreign_names_are_escaped(drawn):
    layout = valid(drawn)["layout"]
    shown = [
        *(layout.get("yaxis", {}).get("ticktext") or ()),
        *(note["text"] for note in layout.get("annotations", ())),
    ]
    assert not [text for text in shown if "x<br>" in text]


def test_estimate_without_an_interval_has_no_bar():
    bars, dots = valid(estimates([Estimate("a", "a", 3.0, None, None, False, "")], (), LIGHT))["data"]
    assert list(bars["x"]) == [0.0]
    assert list(dots["x"]) == [3.0]


def test_estimates_with_limits_of_their_own_keep_the_axis_within():
    figure = valid(estimates([Estimate("a", "a", -1.0, None, None, False, "")], (), LIGHT, bounds=(-1.02, 1.02)))
    assert figure["layout"]["xaxis"]["autorangeoptions"]["minallowed"] == -1.02


@pytest.mark.parametrize(
    ("task", "name"),
    [("BibleNLPBitextMining", "BibleNLP"), ("BelebeleRetrieval", "Belebele"), ("BitextMining", "BitextMining")],
)
def test_paper_name_leaves_out_what_the_type_says(task, name):
    assert paper_name(task) == name
