import numpy as np
import pytest

from engine.analysis.promotions import promote_each
from engine.analysis.ranking import Aggregate, Missing, compute_aggregate


@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("aggregate", list(Aggregate))
@pytest.mark.parametrize("gaps", [0.0, 0.2, 1.0])
def test_each_leaderboard_is_the_one_that_is_ranked_alone(aggregate, missing, gaps):
    stream = np.random.default_rng(3)
    own, rivals = np.round(stream.normal(size=(2, 9, 7)), 1)  # one decimal: many ties
    own[stream.random(own.shape) < gaps] = np.nan
    rivals[stream.random(own.shape) < gaps] = np.nan
    task_types = ("STS", "STS", "Retrieval", "Retrieval", "Retrieval", "Clustering", "STS")
    found = promote_each(own, rivals, task_types, aggregate, missing)
    for target in range(9):
        board = rivals.copy()
        board[target] = own[target]
        alone = compute_aggregate(board, task_types, aggregate, missing)
        if aggregate is Aggregate.BORDA and missing is not Missing.COMPLETE and not np.isnan(board).all():
            np.testing.assert_array_equal(found[target], alone)
        elif gaps == 0:
            np.testing.assert_allclose(found[target], alone, atol=1e-12)
