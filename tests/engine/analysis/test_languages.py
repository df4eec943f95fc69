import polars as pl
import pytest

from engine.analysis.languages import Merging, language_labels, merge_table, merged_codes, row_kind
from engine.ingest.language_data import describe_languages, read_spellings
from engine.schema import LanguageStatus, RowKind
from engine.settings import Settings
from tests.engine.analysis.language_boards import NAMES

WRITTEN = ["eng-Latn", "eng_Latn", "keng-Latn", "en", "cmn-Hans", "zho-Hans", "python-Code"]


@pytest.fixture(scope="module")
def languages(tmp_path_factory):
    spellings = read_spellings(Settings(data=tmp_path_factory.mktemp("data")).spellings)
    return describe_languages(pl.Series(WRITTEN), NAMES, spellings)


@pytest.mark.parametrize(
    ("code", "status", "standard"),
    [
        ("eng-Latn", LanguageStatus.KNOWN, "eng-Latn"),
        ("eng_Latn", LanguageStatus.SPELLING, "eng-Latn"),
        ("en", LanguageStatus.SPELLING, "eng-Latn"),
        ("keng-Latn", LanguageStatus.UNKNOWN, None),
        ("cmn-Hans", LanguageStatus.KNOWN, "cmn-Hans"),
        ("zho-Hans", LanguageStatus.KNOWN, "zho-Hans"),
        ("python-Code", LanguageStatus.CODE, None),
    ],
)
def test_code_is_known_a_spelling_code_or_unknown(languages, code, status, standard):
    row = languages.row(by_predicate=pl.col("language") == code, named=True)
    assert (row["language_status"], row["standard"]) == (status.value, standard)


def test_spellings_are_merged_and_macrolanguages_only_on_request(languages):
    safe, broader, none = (
        merged_codes(languages, merging) for merging in (Merging.SPELLINGS, Merging.BROADER, Merging.NONE)
    )
    assert {safe[code] for code in ("eng-Latn", "eng_Latn", "en")} == {"eng-Latn"}
    assert safe["cmn-Hans"] == "cmn-Hans"
    assert broader["cmn-Hans"] == "zho-Hans"
    assert none["eng_Latn"] == "eng_Latn"
    assert safe["keng-Latn"] == broader["keng-Latn"] == "keng-Latn", "an unknown code is nobody's spelling"


def test_merge_table_shows_all_that_is_not_simply_itself(languages):
    shown = merge_table(languages)
    assert set(shown["language"]) == set(WRITTEN) - {"eng-Latn", "zho-Hans"}
    assert shown.filter(pl.col("standard") != pl.col("language"))["reason"].null_count() == 0


def test_labels_add_the_script_only_where_a_name_has_several():
    languages = describe_languages(pl.Series(["hin-Deva", "hin-Latn", "eng-Latn", "xx"]), NAMES, read_spellings_empty())
    rows = pl.DataFrame({"language": ["hin-Deva", "hin-Latn"], "rows": [9, 2]})
    labels = language_labels(languages, rows)
    assert labels == {"hin-Deva": "Hindi", "hin-Latn": "Hindi (Latin)", "eng-Latn": "English", "xx": "xx"}
    assert language_labels(languages, rows, ["hin-Latn"])["hin-Latn"] == "Hindi", "what mteb's site shows comes first"


def read_spellings_empty() -> pl.DataFrame:
    return pl.DataFrame(schema={name: pl.String for name in ("language", "standard", "broader", "reason")})


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        (["eng-Latn"], RowKind.SAME),
        (["eng-Latn", "eng-Latn"], RowKind.SAME),
        (["eng-Latn", "python-Code"], RowKind.SAME),
        (["mal-Mlym", "eng-Latn"], RowKind.ENGLISH),
        (["mal-Mlym", "hin-Deva"], RowKind.OTHER),
        (["mal-Mlym", "hin-Deva", "eng-Latn"], RowKind.ENGLISH),
        (["python-Code"], RowKind.SAME),
    ],
)
def test_row_kind(named, kind):
    frame = pl.DataFrame({"languages": [named]}, schema={"languages": pl.List(pl.String)})
    assert frame.select(row_kind(pl.col("languages"))).item() == kind.value
