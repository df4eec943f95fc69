"""Pictures of token costs: hollow where a model reads nothing, and the quarter that should not be."""

from ui.charts.theme import LIGHT
from ui.charts.tokenization import Cost, CostBesideScore, cost_beside_score, hardly_read, token_costs

PAIRS = [
    CostBesideScore("English", 1.0, 0.60),
    CostBesideScore("Hindi", 1.4, 0.50),
    CostBesideScore("Malayalam", 3.0, 0.40),
    CostBesideScore("Odia", 12.2, 0.66),
]


def test_costs_have_a_row_per_language_and_a_trace_per_model():
    costs = [Cost("org/a", "Hindi", 1.4, 0.0), Cost("org/a", "Odia", 12.2, 0.5), Cost("org/b", "Hindi", 2.0, None)]
    figure = token_costs(costs, "tokens", LIGHT, {"org/a": "#111111", "org/b": "#222222"})
    assert [list(trace.x) for trace in figure.data] == [[1.4, 12.2], [2.0]]
    assert list(figure.data[0].marker.color) == ["#111111", LIGHT.page]
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol


def test_quarter_holds_what_is_dear_and_scores_high():
    assert hardly_read(PAIRS) == (PAIRS[3],)
    assert hardly_read(PAIRS[:3]) == ()


def test_beside_score_shades_the_quarter_and_names_it():
    figure = cost_beside_score(PAIRS, LIGHT)
    assert len(figure.layout.shapes) == 1 and figure.layout.annotations[0].text == "hardly reads it, scores high"
    assert not cost_beside_score(PAIRS[:2], LIGHT).layout.shapes
