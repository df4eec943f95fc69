import polars as pl
import pytest

from engine.analysis.conditions import OFF_LABEL, mixed_versions
from engine.schema import PromptScheme

CELL = ("org/m", "T")
SIX = {f"p{number}": 0.1 * number for number in range(1, 7)}


def found(distributions_of, records):
    return distributions_of(records).cells.row(0, named=True)


@pytest.mark.parametrize(
    ("scheme", "off_label"),
    [(PromptScheme.FIXED, True), (PromptScheme.FREE, False), (PromptScheme.NONE, False), (None, None)],
)
def test_prompts_are_off_label_on_a_model_with_fixed_prefixes(records_of, distributions_of, scheme, off_label):
    records = records_of({CELL: SIX}, {CELL: 0.5}, schemes={"org/m": scheme})
    cell = found(distributions_of, records)
    assert cell["off_label"] is off_label
    assert (OFF_LABEL in cell["unlike_conditions"]) is bool(off_label)


@pytest.mark.parametrize(
    ("prompt_run", "default_run", "unlike"),
    [
        pytest.param({}, {}, [], id="alike"),
        pytest.param({"template_used": "yes"}, {"template_used": "no"}, ["template"], id="template"),
        pytest.param({"template_used": "not recorded"}, {"template_used": "no"}, [], id="template not recorded"),
        pytest.param({}, {"dataset_revision": "d2"}, ["dataset revision"], id="data"),
        pytest.param({}, {"dataset_revision": None}, [], id="data not recorded"),
        pytest.param({"dataset_revision": None}, {}, [], id="data of the prompt runs not recorded"),
        pytest.param({}, {"model_revision": "r2"}, ["model revision"], id="model"),
        pytest.param({}, {"mteb_version": "1.0.0"}, [], id="versions raise a note instead"),
    ],
)
def test_unlike_conditions(records_of, distributions_of, prompt_run, default_run, unlike):
    records = records_of({CELL: SIX}, {CELL: 0.5}, run_columns=prompt_run, default_columns=default_run)
    assert found(distributions_of, records)["unlike_conditions"] == unlike


def test_conditions_are_unknown_without_a_reference(records_of, distributions_of):
    assert found(distributions_of, records_of({CELL: SIX}))["unlike_conditions"] is None


def test_calls_across_unlike_conditions_are_counted_apart_in_a_note(records_of, distributions_of):
    cells = {("org/a", "T"): SIX, ("org/b", "T"): SIX}
    records = records_of(cells, dict.fromkeys(cells, 0.9), schemes={"org/a": PromptScheme.FIXED})
    notes = distributions_of(records).notes
    assert any(f"Calls across unlike conditions ({OFF_LABEL}): 1, 1 of them high." in note for note in notes)


RUN = {
    "task_name": "T",
    "dataset_revision": "d",
    "mteb_version": "2.9.0",
    "encoder_versions": "{}",
    "template_used": "no",
}


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        pytest.param([{}, {}], "", id="alike"),
        pytest.param(
            [{}, {"mteb_version": "2.10.1"}], "mteb 2.9.0 and 2.10.1 in one comparison.", id="mteb, by number"
        ),
        pytest.param([{}, {"mteb_version": None}], "", id="mteb not recorded"),
        pytest.param(
            [{"mteb_version": f"2.{minor}.0"} for minor in (4, 30, 1, 7)],
            "4 versions of mteb in one comparison, 2.1.0 to 2.30.0.",
            id="many of mteb",
        ),
        pytest.param(
            [{}, {"encoder_versions": '{"torch": "2"}'}],
            "2 combinations of torch, transformers and sentence-transformers in one comparison.",
            id="software",
        ),
        pytest.param(
            [{}, {"dataset_revision": "e"}, {"task_name": "U", "dataset_revision": "f"}],
            "Different revisions of the data in one comparison: T.",
            id="data of one task",
        ),
        pytest.param(
            [{}, {"template_used": "not recorded"}],
            "Whether prompts were set into the models' own templates is not recorded for 1 of 2 runs.",
            id="template",
        ),
    ],
)
def test_mixed_versions_raise_a_note(changes, note):
    runs = pl.DataFrame([{**RUN, **change} for change in changes], dict.fromkeys(RUN, pl.String))
    assert mixed_versions(runs) == ((note,) if note else ())


def test_no_runs_raise_no_note():
    assert mixed_versions(pl.DataFrame([], dict.fromkeys(RUN, pl.String))) == ()
