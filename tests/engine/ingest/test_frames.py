import math

import polars as pl
import pytest

from engine.errors import SourceError
from engine.ingest.frames import read_frame

TASKS = pl.DataFrame({"task_name": ["Find", "Sort"], "task_type": ["Retrieval", "Classification"]})
ROW = {
    "model_name": "m/a",
    "model_revision": "r",
    "task_name": "Find",
    "split": "test",
    "language": ["eng-Latn", "deu-Latn"],
    "subset": "en-de",
    "score": 0.5,
    "experiments": None,
    "is_public": True,
    "trained_on": False,
}


def write(path, *rows, schema=None):
    pl.DataFrame([{**ROW, **row} for row in rows], schema_overrides=schema or {"experiments": pl.String}).write_parquet(
        path
    )
    return path


def test_read_frame_stores_scores_and_drops_padding(tmp_path):
    path = write(tmp_path / "f.parquet", {}, {"subset": "en-fr", "score": None}, {"subset": "en-it", "score": math.nan})
    harvest = read_frame("s", path, TASKS)
    assert harvest.named_scores().rows() == [("m/a", "r", "Find", "", "test", "en-de", ["eng-Latn", "deu-Latn"], 0.5)]
    assert harvest.files["path"].to_list() == ["f.parquet"]
    assert harvest.rejects.is_empty()


def test_read_frame_says_that_what_ran_is_not_recorded(tmp_path):
    path = write(tmp_path / "f.parquet", {}, {"task_name": "Sort"}, {"task_name": "Unheard"})
    runs = read_frame("s", path, TASKS).runs
    assert runs.select("origin_query", "origin_document", "origin_none", "template_used", "prompt_id").rows() == [
        ("not recorded", "not recorded", None, "not recorded", None),
        (None, None, "not recorded", "not recorded", None),
        (None, None, "not recorded", "not recorded", None),
    ]


def test_read_frame_reads_part_after_part(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.ingest.frames._ROWS_AT_ONCE", 2)
    rows = [{"model_name": f"m/{number % 3}", "subset": f"s{number}", "score": number / 10} for number in range(7)]
    harvest = read_frame("s", write(tmp_path / "f.parquet", *rows), TASKS)
    assert harvest.named_scores().select("model_name", "subset", "score").rows() == [
        (row["model_name"], row["subset"], row["score"]) for row in rows
    ]
    assert len(harvest.runs) == 3


def test_read_frame_keeps_the_first_of_repeated_rows_and_says_so(tmp_path):
    path = write(tmp_path / "f.parquet", {"score": 0.1}, {"score": 0.2}, {"score": 0.1, "subset": "other"})
    harvest = read_frame("s", path, TASKS)
    assert harvest.named_scores()["score"].to_list() == [0.1, 0.1]
    assert harvest.rejects.select("path", "place").rows() == [("f.parquet", "rows")]


def test_read_frame_leaves_rows_without_a_name_out_and_says_so(tmp_path):
    path = write(tmp_path / "f.parquet", {}, {"task_name": None}, {"model_name": None}, {"split": None, "score": None})
    harvest = read_frame("s", path, TASKS)
    assert len(harvest.scores) == len(harvest.runs) == 1
    assert harvest.rejects["reason"][0].startswith("2 rows lack a model")


def test_read_frame_leaves_scores_that_are_no_fractions_out_and_says_so(tmp_path):
    path = write(tmp_path / "f.parquet", {}, {"subset": "en-fr", "score": 47.3}, {"subset": "en-it", "score": -2.0})
    harvest = read_frame("s", path, TASKS)
    assert harvest.named_scores()["score"].to_list() == [0.5]
    assert harvest.rejects.select("place", "reason").row(0)[1].startswith("2 scores lie outside; expected a fraction")


def test_read_frame_of_damaged_rows_is_rejected(tmp_path):
    path = write(tmp_path / "f.parquet", *({"subset": f"s{number}"} for number in range(5000)))
    damaged = bytearray(path.read_bytes())
    damaged[50 : len(damaged) // 2] = b"\x55" * (len(damaged) // 2 - 50)
    path.write_bytes(damaged)
    harvest = read_frame("s", path, TASKS)
    assert harvest.runs.is_empty() and harvest.rejects["path"].to_list() == ["f.parquet"]
    assert harvest.files["path"].to_list() == ["f.parquet"]


def test_read_frame_keeps_experiments_apart_from_default_runs(tmp_path):
    path = write(tmp_path / "f.parquet", {}, {"experiments": '{"embed_dim": 256}'})
    runs = read_frame("s", path, TASKS).runs
    assert runs.select("experiment_name", "is_default").rows() == [("", True), ('{"embed_dim": 256}', False)]


def test_read_frame_takes_a_missing_revision_and_no_languages(tmp_path):
    types = {"language": pl.List(pl.String), "model_revision": pl.String, "experiments": pl.String}
    path = write(tmp_path / "f.parquet", {"model_revision": None, "language": []}, schema=types)
    expected = ("m/a", "no_revision_available", "Find", "", "test", "en-de", [], 0.5)
    assert read_frame("s", path, TASKS).named_scores().row(0) == expected


@pytest.mark.parametrize(("name", "dtype"), [("score", pl.String), ("language", pl.String), ("split", pl.Int64)])
def test_read_frame_names_a_column_of_another_type(tmp_path, name, dtype):
    path = tmp_path / "f.parquet"
    pl.DataFrame([ROW]).with_columns(pl.lit(1).cast(dtype).alias(name)).write_parquet(path)
    with pytest.raises(SourceError, match=f"{name} is {dtype}.*expected model_name String"):
        read_frame("s", path, TASKS)


def test_read_frame_names_a_missing_column(tmp_path):
    path = tmp_path / "f.parquet"
    pl.DataFrame([ROW]).drop("subset", "score").write_parquet(path)
    with pytest.raises(SourceError, match="subset is missing; score is missing"):
        read_frame("s", path, TASKS)


def test_read_frame_says_when_a_file_is_not_parquet(tmp_path):
    path = tmp_path / "f.parquet"
    path.write_text("model_name,score\n")
    with pytest.raises(SourceError, match="expected mteb's leaderboard frame"):
        read_frame("s", path, TASKS)


def test_read_frame_of_the_whole_leaderboard(shared):
    harvest = read_frame("mteb", shared / "data" / "mteb_multilingual_v2_long.parquet", TASKS)
    # 2,292,286 rows, of which 1,271,700 are padding and 2 repeat another one.
    assert len(harvest.scores) == 2_292_286 - 1_271_700 - 2
    assert harvest.runs["model_name"].n_unique() == 474
    assert harvest.scores["score"].is_finite().all()
