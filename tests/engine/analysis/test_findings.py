import pytest

from engine.analysis.findings import find_calls, find_nothing, find_places, find_readings
from engine.analysis.readings import read_every_way
from engine.analysis.references import Reference
from engine.analysis.sentences import plain

SIX = {f"p{number}": 0.1 * number for number in range(1, 7)}
HIGH, TYPICAL, LOW = 0.9, 0.35, 0.01


@pytest.fixture
def found(records_of, distributions_of):
    """The sentence on a study of the same six prompts in every cell, told by the default runs."""

    def build(defaults, *, find=find_calls, prompts=SIX, published=(), **reading):
        cells = {cell: prompts for cell in defaults}
        known = {cell: score for cell, score in defaults.items() if score is not None}
        return plain(find(distributions_of(records_of(cells, known, published), **reading)))

    return build


def grid(*scores):
    """Models a, b, … on tasks T, U: one default score after the other."""
    return {(f"org/{'abcdef'[place // 2]}", "TU"[place % 2]): score for place, score in enumerate(scores)}


TOP = "in the top tenth of their distribution, where"
VARY = "half the cells vary by less than 53.5\u202f% over prompts"
ABOVE = "above the 90th percentile of the other prompts"


@pytest.mark.parametrize(
    ("defaults", "sentence"),
    [
        pytest.param(
            grid(HIGH, HIGH, TYPICAL, LOW),
            f"In 2 of 4 model and task pairs the default prompt scores {ABOVE}; in 2 it beats every one of them. "
            "In 1 it lies below the 10th.",
            id="many cells",
        ),
        pytest.param(
            grid(0.58, TYPICAL, TYPICAL, TYPICAL),
            f"In 1 of 4 model and task pairs the default prompt scores {ABOVE}. Nowhere does it lie below the 10th.",
            id="high, yet not above all",
        ),
        pytest.param(
            grid(TYPICAL, TYPICAL, TYPICAL, TYPICAL),
            f"In none of 4 model and task pairs the default prompt scores {ABOVE}. Nowhere does it lie below the 10th.",
            id="none",
        ),
        pytest.param(
            grid(HIGH, HIGH, HIGH, None),
            f"In all 3 model and task pairs the default prompt scores {ABOVE}; in 3 it beats every one of them. "
            "Nowhere does it lie below the 10th. 1 pair has no call.",
            id="all, and one without a reference",
        ),
        pytest.param(
            grid(HIGH, TYPICAL),
            f"On 1 of 2 tasks the default prompt of a scores {ABOVE}; on 1 it beats every one of them. "
            "Nowhere does it lie below the 10th.",
            id="one model",
        ),
        pytest.param(
            {("org/a", "T"): HIGH, ("org/b", "T"): TYPICAL},
            "On T the default prompt of 1 of 2 models beats every one of 6 other prompts. "
            "a scores 90.0; its median prompt gives 35.0.",
            id="one task",
        ),
        pytest.param(
            {("org/a", "T"): TYPICAL, ("org/b", "T"): LOW},
            f"On T the default prompt of none of 2 models scores {ABOVE}. a scores 35.0; its median prompt gives 35.0.",
            id="one task, none high",
        ),
        pytest.param(
            grid(HIGH),
            "a’s default prompt on T scores above 6 of 6 other prompts: 90.0 against a median of 35.0, which is high.",
            id="one cell",
        ),
        pytest.param(
            grid(0.3),
            "a’s default prompt on T scores above 2 of 6 other prompts, level with 1: 30.0 against a median of 35.0, "
            "which is typical.",
            id="one cell, tied",
        ),
        pytest.param(
            grid(None),
            "Nothing here can be called high or low: no default run in this source. "
            "a on T ranges over 6 prompts from 10.0 to 60.0.",
            id="one cell without a reference",
        ),
        pytest.param(
            grid(None, None, None, None),
            "Nothing here can be called high or low: no default run in this source. "
            "a on T ranges over 6 prompts from 10.0 to 60.0.",
            id="no reference anywhere",
        ),
        pytest.param({}, "No prompt run passes these filters: choose other tasks, models or prompts.", id="nothing"),
    ],
)
def test_finding_on_calls(found, defaults, sentence):
    assert found(defaults) == sentence


def test_finding_on_few_prompts(found):
    assert found(grid(HIGH), prompts={"p": 0.5}) == (
        "a’s default prompt on T scores above 1 of 1 prompts: 90.0 against a median of 50.0. "
        "No call: fewer than 5 prompts with a score: 1."
    )


def test_finding_on_prompts_without_a_score(found):
    assert found(grid(HIGH), prompts=dict.fromkeys(SIX)) == (
        "Nothing here can be called high or low: fewer than 5 prompts with a score: 0. "
        "No run has every row that counts."
    )


def test_finding_names_the_thresholds(found):
    assert "above the 97.5th percentile" in found(grid(HIGH, HIGH, HIGH, LOW), high=0.975, low=0.02)
    assert "In 1 it lies below the 2nd." in found(grid(HIGH, HIGH, HIGH, LOW), high=0.975, low=0.02)


def test_finding_on_published_scores_says_which_rows(found):
    cells = grid(None, None, None, None)
    published = [(cell, HIGH, {}) for cell in cells]
    matched = found(cells, published=published, reference=Reference.PUBLISHED_MATCHED)
    assert matched.startswith("In all 4 model and task pairs the published score lies above the 90th percentile of the")
    assert "prompts on the same rows" in matched
    everything = found(cells, published=published, reference=Reference.PUBLISHED_ALL)
    assert "of the prompts; in 4" in everything


def test_finding_on_cells_left_out_gives_the_reason(found):
    assert found(grid(None, None), reference=Reference.PUBLISHED_ALL, find=find_nothing) == (
        "Nothing to compare for the 2 model and task pairs: no published score."
    )
    assert found(grid(None), reference=Reference.PUBLISHED_ALL, find=find_calls) == (
        "Nothing to compare for this model and task pair: no published score."
    )


@pytest.mark.parametrize(
    ("defaults", "sentence"),
    [
        pytest.param(
            grid(HIGH, HIGH, HIGH, TYPICAL),
            f"A default prompt is rarely an ordinary one: 3 of 4 stand {TOP} 0.4 would be expected; {VARY}, "
            "four by more than 30\u202f%.",
            id="systematically high",
        ),
        pytest.param(
            grid(TYPICAL, TYPICAL),
            f"A default prompt is much like the prompts: none of 2 stand {TOP} 0.2 would be expected; {VARY}, "
            "two by more than 30\u202f%.",
            id="ordinary",
        ),
        pytest.param(
            grid(HIGH),
            f"A default prompt is much like the prompts: the only one stands {TOP} 0.1 would be expected.",
            id="one cell",
        ),
    ],
)
def test_finding_on_places(found, defaults, sentence):
    assert found(defaults, find=find_places) == sentence


def test_finding_on_places_without_calls_says_why(found):
    assert found(grid(None, None), find=find_places).startswith("Nothing here can be called high or low")


@pytest.mark.parametrize(
    ("defaults", "sentence"),
    [
        (grid(HIGH, LOW), "All 2 calls hold in every admissible reading of reference, prompts and rows."),
        (grid(HIGH), "The only call holds in every admissible reading of reference, prompts and rows."),
        (grid(None), "No call is shown that another reading could overturn."),
    ],
)
def test_finding_on_readings(found, defaults, sentence):
    assert found(defaults, find=lambda shown: find_readings(read_every_way(shown))) == sentence


def test_figures_that_carry_the_finding_are_strong_and_names_are_foreign(records_of, distributions_of):
    cells = {("org/<b>a</b>", "T"): SIX}
    sentence = find_calls(distributions_of(records_of(cells, dict.fromkeys(cells, HIGH))))
    assert [segment.text for segment in sentence if segment.strong] == ["6 of 6", "90.0", "35.0"]
    assert [segment.text for segment in sentence if segment.foreign] == ["b>", "T"]
