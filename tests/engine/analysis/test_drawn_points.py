import numpy as np
import pytest

from engine.analysis.drawn_points import MOST_IN_PAIRS, doubled_points
from engine.analysis.ranking import Missing, compute_task_points


@pytest.mark.parametrize("missing", [Missing.ZERO, Missing.PRESENT])
@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
@pytest.mark.parametrize("n_values", [5, 60_000])
@pytest.mark.parametrize("n_models", [1, 7, MOST_IN_PAIRS, MOST_IN_PAIRS + 1, 150])
def test_few_and_many_models_get_the_points_of_a_plain_ranking(n_models, n_values, kind, missing):
    codes = np.random.default_rng(5).integers(1, n_values, size=(n_models, 30)).astype(kind)
    if kind is np.uint32:
        codes *= 60_000  # codes that fill 32 bits
    codes[1::9] = 0
    scores = np.where(codes == 0, np.nan, codes)[None].transpose(2, 1, 0)
    points = compute_task_points(scores, missing)[:, :, 0].T
    np.testing.assert_array_equal(doubled_points(codes, missing, has_ties=True), 2 * points)


@pytest.mark.parametrize("n_models", [7, 150])
def test_without_ties_the_order_alone_counts(n_models):
    stream = np.random.default_rng(6)
    codes = np.array([stream.permutation(n_models) + 1 for _ in range(40)]).T
    np.testing.assert_array_equal(doubled_points(codes, Missing.ZERO, has_ties=False), 2 * (codes - 1))
