import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from engine.analysis.language_disagreement import compare_orders, compute_agreement
from engine.analysis.language_scores import score_languages
from tests.engine.analysis.language_boards import DEU, MAL, board

small = st.integers(0, 5).map(float)
SIX = [f"org/{letter}" for letter in "abcdef"]


@given(st.lists(st.tuples(small, small), min_size=2, max_size=14))
def test_tau_is_scipys(pairs):
    first, second = np.array(pairs).T
    found, theirs = compute_agreement(first, second), kendalltau(first, second).statistic
    assert found.n == len(pairs)
    assert found.tau is None if np.isnan(theirs) else found.tau == pytest.approx(theirs)
    if found.ci_low is not None:
        assert -1 <= found.ci_low <= found.tau <= found.ci_high <= 1


def test_interval_covers_as_often_as_it_says():
    """Of correlated normal pairs τ = 2/π · asin ρ is known."""
    stream, covered = np.random.default_rng(1), 0
    for _ in range(400):
        first = stream.normal(size=60)
        found = compute_agreement(first, 0.8 * first + 0.6 * stream.normal(size=60))
        covered += found.ci_low <= 2 / np.pi * np.arcsin(0.8) <= found.ci_high
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ([0.1], [0.2], None),
        ([0.1, 0.2], [0.5, 0.5], None),
        ([0.1, 0.2, np.nan], [0.3, 0.4, 0.9], 1.0),
        ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], -1.0),
        ([np.nan, np.nan], [0.1, 0.2], None),
    ],
)
def test_agreement_of_few(first, second, tau):
    found = compute_agreement(np.array(first), np.array(second))
    assert found.tau == tau
    assert found.ci_low is None


def test_language_that_turns_the_order_round():
    rows = []
    for place, model in enumerate(SIX):
        rows += [(model, "X", [MAL], place / 10), (model, "Y", [MAL], place / 10), (model, "Z", [DEU], -place / 10)]
    records = board(rows)
    found = compare_orders(records, score_languages(records), [MAL, DEU])
    assert dict(found.with_overall.select("language", "tau_b").iter_rows()) == {MAL: 1.0, DEU: -1.0}
    assert found.between.row(0)[:4] == (MAL, DEU, 6, -1.0)
    most = found.movers.row(0, named=True)
    assert most["language"] == DEU and abs(most["ranks_gained"]) == 5


def test_incomplete_models_are_not_compared():
    rows = [(model, task, [MAL], place / 10) for place, model in enumerate(SIX) for task in ("X", "Y")]
    records = board([*rows, ("org/z", "X", [MAL], 0.99)])
    found = compare_orders(records, score_languages(records), [MAL])
    assert found.with_overall["n"].item() == 6
    assert "org/z" not in found.movers["model_name"]


def test_language_without_scores_is_left_out():
    records = board([(SIX[0], "X", [MAL], 0.5)], described=[("X", [DEU])])
    found = compare_orders(records, score_languages(records), [MAL, DEU])
    assert found.with_overall["language"].to_list() == [MAL]
    assert found.with_overall["tau_b"].item() is None
