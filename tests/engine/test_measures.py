import pytest

from engine.analysis.prompt_distributions import CELL_COLUMNS, SCORE_COLUMNS
from engine.measures import MEASURES, MEASURES_BY_KEY, RULES, Display
from engine.schema import TABLES

DESCRIBED = {column.name for table in TABLES for column in table.columns}
TOLD_BY_THEIR_NAME = {
    *("off_label", "unlike_conditions", "no_call_reason", "published_rows", "published_source", "published_revision"),
    *("reference_rows", "reference_rows_expected", "reference_source", "reference_revision", "reference_prompt"),
    *("reference_document_prompt", "reference_origin", "reference_template", "reference_mteb_version"),
    *("reference_encoder_versions", "reference_dataset_revision"),
}


@pytest.mark.parametrize("column", sorted({*CELL_COLUMNS, *SCORE_COLUMNS}))
def test_every_column_on_screen_is_explained(column):
    assert column in MEASURES_BY_KEY or column in DESCRIBED or column in TOLD_BY_THEIR_NAME


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_measure_is_whole(measure):
    assert measure.title and measure.gloss.endswith(".") and measure.formula
    assert measure.ties and measure.missing and measure.source
    assert (measure.unit == "") == (measure.display is Display.WORD)
    if measure.display in (Display.POINTS, Display.SIGNED_POINTS, Display.PERCENT):
        assert measure.unit == "fraction"


def test_keys_and_titles_are_unique():
    assert len(MEASURES_BY_KEY) == len(MEASURES)
    assert len({measure.title for measure in MEASURES}) == len(MEASURES)


def test_rules_are_numbered_in_order():
    assert [rule.number for rule in RULES] == list(range(1, 14))
    assert all(rule.title and rule.text.endswith(".") for rule in RULES)
