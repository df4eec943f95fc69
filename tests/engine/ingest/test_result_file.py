import json
import math

import pytest

from engine.ingest.result_file import decode_result


def result(rows, **fields):
    return json.dumps({"task_name": "T", "scores": {"test": rows}, **fields}).encode()


def row(score=0.5, subset="default", languages=("eng-Latn",), **more):
    return {"main_score": score, "hf_subset": subset, "languages": list(languages), **more}


def kept(text):
    return [(r.hf_subset, r.languages, r.main_score) for r in decode_result(text).result.scores["test"]]


def places(text):
    return [problem.place for problem in decode_result(text).problems]


def test_decode_result_skips_everything_but_the_main_score():
    text = result(
        [row(ndcg_at_10=0.1, v_measures={"Level 0": [0.1, math.nan]}, mteb_version="2.0")], date=1.5, extra={}
    )
    assert kept(text) == [("default", ("eng-Latn",), 0.5)]
    assert places(text) == []


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, None])
def test_decode_result_makes_a_score_that_is_no_number_null(score):
    text = result([row(score)])
    assert kept(text) == [("default", ("eng-Latn",), None)]
    assert places(text) == []


@pytest.mark.parametrize("score", ["0.5", True, [0.5], {"value": 0.5}])
def test_decode_result_refuses_a_score_of_another_type_and_keeps_the_other_rows(score):
    text = result([row(0.1, "a"), row(score, "b"), row(0.3, "c")])
    assert [subset for subset, _, _ in kept(text)] == ["a", "c"]
    assert places(text) == ["scores.test[1].main_score"]


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ({"hf_subset": "a", "languages": []}, "scores.test[0].main_score"),
        ({"main_score": 0.1, "languages": []}, "scores.test[0].hf_subset"),
        ({"main_score": 0.1, "hf_subset": 3, "languages": []}, "scores.test[0].hf_subset"),
        ("a text", "scores.test[0]"),
        (None, "scores.test[0]"),
    ],
)
def test_decode_result_refuses_a_broken_row_by_its_place(broken, place):
    text = result([broken, row(0.2, "other")])
    assert kept(text) == [("other", ("eng-Latn",), 0.2)]
    assert places(text) == [place]


@pytest.mark.parametrize("languages", [None, "eng-Latn", [1]])
def test_decode_result_keeps_a_row_whose_languages_are_unreadable(languages):
    text = result([{"main_score": 0.2, "hf_subset": "a", "languages": languages}])
    assert kept(text) == [("a", (), 0.2)]
    assert places(text) == ["scores.test[0].languages"]


def test_decode_result_leaves_a_field_of_another_type_empty():
    decoded = decode_result(result([row()], evaluation_time="12 s", mteb_version=2))
    assert decoded.result.evaluation_time is None
    assert [problem.place for problem in decoded.problems] == ["mteb_version", "evaluation_time"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"  \n",
        b'{"scores": {"test": [',
        b"[]",
        b"17",
        b'{"task_name": "\xff\xfe"}',
        b"[" * 100_000,
    ],
    ids=["empty", "white", "truncated", "list", "number", "not utf-8", "nested"],
)
def test_decode_result_names_the_reason_where_there_is_no_result(text):
    decoded = decode_result(text)
    assert decoded.result is None
    assert [problem.place for problem in decoded.problems] == [""]
    assert "expected" in decoded.problems[0].reason


@pytest.mark.parametrize("scores", [[], "x", 3])
def test_decode_result_names_scores_of_another_shape(scores):
    text = json.dumps({"scores": scores}).encode()
    assert places(text) == ["scores"]


def test_decode_result_names_a_split_of_another_shape():
    text = json.dumps({"scores": {"test": {"a": 1}, "dev": [row()]}}).encode()
    assert places(text) == ["scores.test"]
    assert len(decode_result(text).result.scores["dev"]) == 1


@pytest.mark.parametrize(("number", "remains"), [("1e999", 2), ("1" + "0" * 400, 1)])
def test_decode_result_keeps_the_rest_beside_a_number_that_is_too_large(number, remains):
    text = result([row(1), row(subset="huge")]).replace(b"0.5", number.encode())
    assert kept(text)[0] == ("default", ("eng-Latn",), 1.0)
    assert len(kept(text)) == remains


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_decode_result_reads_other_encodings_of_json(encoding):
    assert kept(result([row()]).decode().encode(encoding)) == [("default", ("eng-Latn",), 0.5)]


@pytest.mark.parametrize("field", ["task_name", "mteb_version"])
def test_decode_result_leaves_out_half_a_surrogate_pair(field):
    decoded = decode_result(result([row()], **{field: "a\ud800"}))
    assert getattr(decoded.result, field) is None
    assert [problem.place for problem in decoded.problems] == [field]


def test_decode_result_refuses_rows_whose_names_utf_8_cannot_write():
    text = result([row(subset="\udc00"), row(languages=["\udc00"]), row(subset="c")])
    assert kept(text) == [("default", (), 0.5), ("c", ("eng-Latn",), 0.5)]
    assert places(text) == ["scores.test[0].hf_subset", "scores.test[1].languages"]


def test_decode_result_knows_the_old_format():
    text = b'{"mteb_dataset_name": "OldTask", "test": {"evaluation_time": 9.1, "map": 0.86}}'
    decoded = decode_result(text)
    assert (decoded.result.scores, decoded.result.mteb_dataset_name) == (None, "OldTask")
