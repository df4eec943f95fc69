import pytest

from engine.analysis.sentences import plain
from engine.analysis.variation import compare_authors, spread_by_kind
from engine.analysis.variation_findings import find_authors, find_kinds, find_variation

CELL = ("org/m", "T")


@pytest.fixture
def of(records_of, distributions_of):
    def build(prompts, **described):
        return distributions_of(records_of(prompts, **described))

    return build


@pytest.mark.parametrize(
    ("prompts", "sentence"),
    [
        pytest.param(
            {CELL: {"p": 0.1, "q": 0.3}, ("org/n", "U"): {"p": 0.5, "q": 0.51}},
            "Half the pairs of model and task vary by less than 36.1\u202f% over prompts, one by 30\u202f% or more; "
            "most of all m on T, by 71\u202f%.",
            id="several",
        ),
        pytest.param(
            {CELL: {"p": 0.5, "q": 0.5}, ("org/n", "U"): {"p": 0.5, "q": 0.51}},
            "Half the pairs of model and task vary by less than 0.7\u202f% over prompts; "
            "most of all n on U, by 1\u202f%.",
            id="none wide",
        ),
        pytest.param({CELL: {"p": 0.5, "q": 0.6}}, "m on T varies by 12.9\u202f% over 2 prompts.", id="one cell"),
        pytest.param(
            {CELL: {"p": -0.5, "q": 0.5}},
            "No pair of model and task has two prompt scores with a positive mean: there is no variation to show.",
            id="no CV",
        ),
        pytest.param(
            {},
            "No pair of model and task has two prompt scores with a positive mean: there is no variation to show.",
            id="nothing",
        ),
    ],
)
def test_finding_on_variation(of, prompts, sentence):
    assert plain(find_variation(of(prompts).cells)) == sentence


STEADY = {f"a{number}": 0.7 + number / 1000 for number in range(5)}
WILD = {f"b{number}": 0.1 * number for number in range(1, 6)}
KINDS = {**dict.fromkeys(STEADY, "names the topic"), **dict.fromkeys(WILD, "minimal")}


def test_finding_on_kinds_names_the_kind_that_steadies_most(of):
    found = of({CELL: {**STEADY, **WILD}}, kinds=KINDS)
    assert plain(find_kinds(spread_by_kind(found.scores, found.prompts))) == (
        "In the only model and task pair the kind of prompt explains more than half of the spread. m on T varies by "
        "47\u202f% over all prompts and by <1\u202f% over the 5 prompts of kind “names the topic”."
    )


def test_finding_on_kinds_does_not_advise_a_kind_below_the_median(of):
    worse = {f"a{number}": 0.01 + number / 1000 for number in range(5)}
    found = of({CELL: {**worse, **WILD}}, kinds=KINDS)
    assert "names the topic" not in plain(find_kinds(spread_by_kind(found.scores, found.prompts)))


@pytest.mark.parametrize("prompts", [{}, {CELL: STEADY}], ids=["nothing", "one kind"])
def test_finding_on_kinds_that_cannot_be_compared(of, prompts):
    found = of(prompts, kinds=KINDS)
    assert plain(find_kinds(spread_by_kind(found.scores, found.prompts))) == (
        "These prompts are of one kind, or too few, so kinds cannot be compared."
    )


def test_finding_on_authors(of):
    found = of(
        {CELL: {**STEADY, **WILD}},
        generators={**dict.fromkeys(STEADY, ["handwritten"]), **dict.fromkeys(WILD, ["gpt"])},
    )
    assert plain(find_authors(compare_authors(found.scores, found.prompts))) == (
        "In the only model and task pair the median handwritten prompt scores above the median generated one."
    )


def test_finding_on_authors_where_a_source_has_only_some(of):
    found = of({CELL: STEADY})
    assert plain(find_authors(compare_authors(found.scores, found.prompts))) == (
        "No pair of model and task has both handwritten and generated prompts on record."
    )
