import json

import polars as pl
import pytest

from engine.errors import SourceError
from engine.ingest.language_data import describe_languages, read_corpora, read_spellings
from engine.settings import Settings


@pytest.fixture
def kept(tmp_path):
    return Settings(data=tmp_path)


def test_files_of_the_project_can_be_read(kept):
    spellings, corpora = read_spellings(kept.spellings), read_corpora(kept.corpora)
    assert len(spellings) and len(corpora)
    assert spellings.select((pl.col("standard").is_null() ^ pl.col("broader").is_null()).all()).item()
    assert not spellings["reason"].null_count()


def test_every_corpus_has_several_tasks_and_a_source_each(kept):
    corpora = read_corpora(kept.corpora)
    assert corpora.group_by("corpus").len()["len"].min() >= 2
    assert corpora["reference"].str.starts_with("http").all()
    flores = set(corpora.filter(pl.col("corpus") == "FLORES-200")["task_name"])
    assert flores >= {
        "FloresBitextMining",
        "SIB200ClusteringS2S",
        "BelebeleRetrieval",
        "IndicGenBenchFloresBitextMining",
    }


@pytest.mark.parametrize(
    "lines",
    [
        ["{"],
        ["[]"],
        [json.dumps({"corpus": "c", "reference": "r"})],
        [json.dumps({"task_name": "X", "corpus": "c", "reference": "r", "more": 1})],
        [json.dumps({"task_name": "X", "corpus": "c", "reference": "r"})] * 2,
    ],
)
def test_line_that_is_no_record_is_refused_with_its_place(tmp_path, lines):
    path = tmp_path / "corpora.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(SourceError, match=r"corpora\.jsonl"):
        read_corpora(path)


def test_without_any_names_the_form_of_a_code_decides():
    names = pl.DataFrame(schema={"part": pl.String, "code": pl.String, "name": pl.String})
    spellings = pl.DataFrame(schema=dict.fromkeys(("language", "standard", "broader", "reason"), pl.String))
    described = describe_languages(pl.Series(["abc-Latn", "abcd-Latn", "abc_Latn", "x"]), names, spellings)
    told = dict(described.select("language", "language_status").iter_rows())
    assert told == {"abc-Latn": "known", "abcd-Latn": "unknown", "abc_Latn": "spelling", "x": "unknown"}
    assert described["language_name"].null_count() == 4
