import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
        pytest.param(8, 11, 0.4343549, 0.9025388, id="most"),
        pytest.param(0, 10, 0.0, 0.2775328, id="none"),
        pytest.param(10, 10, 0.7224672, 1.0, id="all"),
        pytest.param(1, 1, 0.2065493, 1.0, id="a single trial"),
    ],
)
def test_wilson_interval(successes, trials, low, high):
    found = wilson(successes, trials)
    assert found.low == pytest.approx(low, abs=1e-6)
    assert found.high == pytest.approx(high, abs=1e-6)


def test_no_trials_have_no_interval():
    assert wilson(0, 0) is None


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_interval_holds_the_share_and_stays_within_bounds(counts, level):
    successes, trials = counts
    found = wilson(successes, trials, level)
    assert 0 <= found.low <= successes / trials <= found.high <= 1
