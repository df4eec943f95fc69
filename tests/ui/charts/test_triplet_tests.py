"""Pictures of triplet items: order on each model's own axis, cut-offs, the grid, rates; texts are data."""

import pytest

from ui.charts.theme import LIGHT
from ui.charts.triplet_tests import Candidate, ItemRow, item_order
from ui.charts.triplet_tests_grid import GridColumn, GridRow, agreed, outcome_grid
from ui.charts.triplet_tests_rates import RateRow, ScorePoint, rate_against_score, rate_rows
from ui.charts.triplet_tests_trap import accepts, spread_cutoffs, threshold_trap

ELEPHANT = (
    Candidate("", "ആനയുടെ പുറത്ത്", "on the elephant", 0.9159),
    Candidate("a", "ആന അപ്പുറത്ത്", "elephant beyond", 0.9474),
    Candidate("b", "ആന ഇപ്പുറത്ത്", "elephant on this side", 0.9480),
    Candidate("c", "ആന പുറത്ത്", "elephant outside", 0.9186),
    Candidate("d", "അപ്പുറത്ത്", "beyond", 0.9461),
)


def row(candidates=ELEPHANT, outcome="wrong", place=5, margin=-0.0321, **more):
    return ItemRow("org/<b>e5</b>", "query: ", candidates, outcome, place, margin, **more)


def words(figure):
    return [note.text for note in figure.layout.annotations]


def marks(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_item_order_uses_each_models_own_axis():
    apart = tuple(Candidate(each.letter, each.text, each.gloss, each.similarity - 0.5) for each in ELEPHANT)
    figure = item_order([row(), row(apart)], LIGHT)
    assert list(marks(figure, "same meaning").x) == [0.0, 0.0]
    hollow = list(marks(figure, "looks alike").x)
    assert sorted(hollow[:4]) == pytest.approx(sorted(hollow[4:])) and max(hollow) == 1.0


def test_item_order_thick_line_goes_from_the_right_to_the_hardest_wrong_candidate():
    thick = [shape for shape in item_order([row()], LIGHT).layout.shapes if shape.line.width == 5]
    assert [(shape.x0, shape.x1) for shape in thick] == [(0.0, 1.0)]


def test_item_order_says_outcome_place_margin_and_joins_letters_that_would_collide():
    said = words(item_order([row(scaled_margin=-0.78)], LIGHT))
    verdict = next(each for each in said if "wrong" in each)
    assert "<b>✕ wrong</b> 5th of 5" in verdict and "margin −0.0321" in verdict and "= −0.78 spreads" in verdict
    assert "d a b" in said and "c" in said and "<b>right</b> 0.9159" in said


def test_item_order_with_exact_ties_stands_in_the_middle_and_counts_them():
    equal = tuple(Candidate(each.letter, each.text, each.gloss, 0.9) for each in ELEPHANT)
    figure = item_order([row(equal, "tie", 1, 0.0, n_tied=4)], LIGHT)
    assert set(marks(figure, "looks alike").x) == {0.5}
    said = "".join(words(figure))
    assert "<b>= tie</b> 1st of 5" in said and "ties with 4" in said


def test_item_order_of_an_invalid_row_has_no_marks_and_says_why():
    broken = tuple(Candidate(each.letter, each.text, each.gloss, None) for each in ELEPHANT)
    figure = item_order([row(broken, "invalid", None, None, reason="NaN in a vector")], LIGHT)
    assert not marks(figure, "same meaning").x and "NaN in a vector" in " ".join(words(figure))


def test_foreign_text_in_pictures_is_escaped():
    hostile = (Candidate("", "<img src=x>", "%{x}", 0.5), Candidate("a", "</b>", "", 0.4))
    said = "\n".join(marks(item_order([row(hostile, "right", 1, 0.1)], LIGHT), "same meaning").hovertext)
    assert "<img" not in said and "%{x}" not in said and "&lt;img" in said
    assert not any("<b>e5</b>" in each for each in words(item_order([row()], LIGHT)))


def test_trap_fills_what_a_cutoff_accepts():
    figure = threshold_trap([row()], (0.90, 0.93, 0.95), 0.93, LIGHT)
    assert len(marks(figure, "right, accepted").x) == 1 and len(marks(figure, "right, rejected").x) == 2
    assert len(marks(figure, "wrong, accepted").x) == 4 + 3 and len(marks(figure, "wrong, rejected").x) == 1 + 4
    assert "<b>≥ 0.93</b>" in words(figure)


def test_cutoffs_hold_the_chosen_one_and_lie_among_the_cosines():
    assert spread_cutoffs([row()], 0.5) == (0.5, 0.92, 0.95)
    assert not accepts(Candidate("a", "", "", None), 0.0)


def grid(*outcomes, is_baseline=False):
    named = {f"i{place}": outcome for place, outcome in enumerate(outcomes)}
    return GridRow("org/m", named, 0.5, 0.25, 0.75, is_baseline)


COLUMNS = [GridColumn(f"i{place}", f"i{place} <tag>") for place in range(4)]


def test_grid_draws_a_closed_path_per_outcome_and_one_pointer():
    figure = outcome_grid([grid("right", "right", "tie", "wrong"), grid("right", "invalid", "wrong", "wrong")],
                          COLUMNS, "easiest to hardest", LIGHT)  # fmt: skip
    assert [trace.name for trace in figure.data] == ["right", "tie", "wrong", "invalid", "pointer", "open"]
    assert [len(trace.x) // 6 for trace in figure.data[:4]] == [3, 1, 3, 1]
    pointer, dots = figure.data[4:]
    assert pointer.text[1][1] == "invalid" and list(dots.customdata) == ["i0", "i1", "i2", "i3"]
    assert len(set(pointer.x)) == 4 and len(set(pointer.y)) == 2 and "<tag>" not in str(pointer.x)


def test_grid_writes_ids_below_where_there_is_room():
    many = [GridColumn(f"i{place}", "") for place in range(60)]
    assert "i3" in figure_ids(COLUMNS)[3] and not figure_ids(many)


def figure_ids(columns):
    return list(outcome_grid([grid("right")], columns, "", LIGHT).layout.xaxis.ticktext or [])


def test_grid_brackets_count_what_all_models_agree_on_without_the_shortcuts():
    rows = [grid("right", "right", "tie", "wrong"), grid("right", "wrong", "wrong", "wrong"),
            grid("wrong", "wrong", "wrong", "right", is_baseline=True)]  # fmt: skip
    assert agreed(rows, COLUMNS, ("right",)) == [0] and agreed(rows, COLUMNS, ("wrong", "tie")) == [2, 3]
    said = words(outcome_grid(rows, COLUMNS, "easiest to hardest", LIGHT))
    assert "1 of these: all right" in said and "2: none right" in said
    assert "<b>50\u202f%</b>" in said and "25–75" in said


def test_grid_of_no_items_is_drawn():
    assert outcome_grid([grid()], [], "", LIGHT).layout.height > 0


def test_rates_below_five_items_have_no_mark():
    rows = [RateRow("org/a", 48, 18, 0.375, 0.25, 0.52), RateRow("org/b", 3, 1, None, None, None)]
    figure = rate_rows(rows, LIGHT)
    assert list(figure.data[0].x) == [37.5] and len(figure.layout.shapes) == 1
    assert "18 of 48" in words(figure) and "<b>too few</b>" in words(figure)


def test_rate_beside_score_shows_both_in_percent_with_the_interval():
    figure = rate_against_score([ScorePoint("a", 0.61, 0.25, 8, 2, 0.07, 0.59)], "Malayalam", LIGHT)
    dots = figure.data[0]
    assert list(dots.x) == [61.0] and list(dots.y) == [25.0] and "2 of 8" in dots.hovertext[0]
    assert list(dots.error_y.array) == pytest.approx([34.0]) and list(dots.error_y.arrayminus) == pytest.approx([18.0])
