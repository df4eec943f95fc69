"""Triplet sets and token counts on their way into a snapshot: what belongs, what is left out, what is refused."""

import json
import os
from dataclasses import asdict, replace

import pytest

from engine import triplet_intake
from engine.analysis.triplet_outcomes import NOISE
from engine.answers import tokenization, triplet_tests
from engine.answers.triplet_tests import TripletQuestion
from engine.check import check_store
from engine.content import content_hashes, row_counts
from engine.errors import UsageError
from engine.ingest.triplets import read_triplets, triplet_states
from engine.pipeline import build
from engine.store import open_snapshot
from engine.triplets.counts import LanguageCount, token_folder
from engine.triplets.files import begin_set, read_set, save_set, set_names
from engine.triplets.items import GlossedText, TripletItem
from engine.triplets.results import Measured, Roles, is_answered, keep_lines, results_file

ITEM = TripletItem(
    "007", "eng-Latn", "the cat sat", (GlossedText("a cat was sitting"),),
    (GlossedText("the bat sat"), GlossedText("the cat spat")), phenomenon="near-homograph",
)  # fmt: skip
COUNT = LanguageCount("eng-Latn", 2, 10, 4, 0, 0, None, 40, 8, None)


def save(settings, *items, name="mine"):
    if name not in set_names(settings):
        begin_set(settings, name)
    save_set(settings, name, items, read_set(settings, name).digest)


def keep(settings, *items, model="org/m", cosines=((0.9,), (0.5, 0.4)), prompt=None, name="mine", **said):
    """Leaves results of a model about items, as a run does."""
    lines = [
        Measured(item.item_id, item.digest, model, "r1", prompt, prompt, *map(list, cosines), **said) for item in items
    ]
    path = results_file(settings, name, model, "r1", Roles(prompt, prompt))
    keep_lines(path, lines)
    return path


def count(settings, *lines, name="mine", model="org/m"):
    path = token_folder(settings) / name / model.replace("/", "__") / "r1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def built(settings, without_mteb):
    """Builds and opens what came of it."""

    def again():
        build(settings)
        return open_snapshot(settings)

    return again


def test_items_and_results_of_a_set_are_read_and_judged(settings, built):
    save(settings, replace(ITEM, item_id="001", anchor="another"), ITEM)
    keep(settings, ITEM, spread=0.1, noise=0.001)
    keep(settings, ITEM, model="org/n", cosines=((0.5,), (0.5, None)), reason="broken")
    tests = triplet_tests.answer(built(), TripletQuestion("mine"))
    assert tests.items["item_id"].to_list() == ["001", "007"]
    assert tests.items["difficulty"].to_list() == [None, 1.0]
    assert tests.candidates.filter(item_id="007").select("role", "position", "text").rows() == [
        ("positive", 0, "a cat was sitting"), ("negative", 0, "the bat sat"), ("negative", 1, "the cat spat"),
    ]  # fmt: skip
    columns = ("model_name", "outcome", "margin", "scaled_margin", "place", "n_tied", "n_candidates", "reason")
    assert tests.outcomes.select(columns).rows() == [
        ("org/m", "right", 0.4, pytest.approx(4.0), 1, 0, 3, None),
        ("org/n", "invalid", None, None, None, 0, 3, "broken"),
    ]
    assert tests.baselines.filter(item_id="007").height == 4


def test_cosines_of_one_item_come_alone(settings, built):
    save(settings, ITEM, replace(ITEM, item_id="8"))
    keep(settings, ITEM, replace(ITEM, item_id="8"))
    found = triplet_tests.similarities(built(), TripletQuestion("mine"), "007")
    assert found.select("item_id", "role", "position", "similarity").rows() == [
        ("007", "negative", 0, 0.5), ("007", "negative", 1, 0.4), ("007", "positive", 0, 0.9),
    ]  # fmt: skip


def test_a_run_is_tied_within_the_noise_that_was_measured_for_it(settings, built):
    save(settings, ITEM)
    near = ((0.5 + 20 * NOISE,), (0.5, 0.1))
    keep(settings, ITEM, cosines=near)
    keep(settings, ITEM, cosines=near, model="org/shaky", noise=100 * NOISE)
    outcomes = triplet_tests.answer(built(), TripletQuestion("mine")).outcomes
    assert dict(outcomes.select("model_name", "outcome").iter_rows()) == {"org/m": "right", "org/shaky": "tie"}


def test_results_of_earlier_texts_and_of_items_that_are_gone_are_left_out_and_counted(settings, built):
    save(settings, ITEM, replace(ITEM, item_id="8"))
    keep(settings, ITEM, replace(ITEM, item_id="8"))
    assert is_answered(settings, "mine", ITEM)
    changed = replace(ITEM, anchor="the cat sits")
    save(settings, changed)
    tests = triplet_tests.answer(built(), TripletQuestion("mine"))
    assert tests.outcomes.height == 0 and "2 results of earlier texts are left out" in tests.notes
    assert not is_answered(settings, "mine", changed)
    save(settings, ITEM)
    assert triplet_tests.answer(built(), TripletQuestion("mine")).outcomes.height == 1


def test_only_sets_whose_files_changed_are_read_again(settings, built, monkeypatch):
    save(settings, ITEM)
    save(settings, ITEM, name="other")
    before = built()
    assert not build(settings).is_new
    read = []
    monkeypatch.setattr(triplet_intake, "read_triplets", lambda *of: read.append(of[1]) or read_triplets(*of))
    path = keep(settings, ITEM)
    after = built()
    assert read == ["mine"] and after.snapshot_id != before.snapshot_id
    os.utime(path, ns=(1, 1))
    again = built()
    assert read == ["mine", "mine"] and content_hashes(again) == content_hashes(after)


def test_set_that_is_deleted_leaves_with_its_results(settings, built):
    save(settings, ITEM)
    keep(settings, ITEM)
    count(settings, json.dumps(asdict(COUNT)))
    assert triplet_tests.tested_sets(built()) == ("mine",)
    (settings.data / "triplets" / "mine.jsonl").unlink()
    count(settings).unlink()
    now = built()
    assert triplet_tests.tested_sets(now) == () and row_counts(now)["token_counts"] == 0
    with pytest.raises(UsageError, match="No triplet set 'mine' in snapshot"):
        triplet_tests.answer(now, TripletQuestion("mine"))


BROKEN_LINES = [
    "{",
    '{"item_id": 7}',
    json.dumps({**asdict(Measured("7", "x", "m", "r", None, None, [], [])), "positives": ["a"]}),
    json.dumps(asdict(Measured("7", "x", "m", "r", None, None, [0.5], [0.4])))[:-9],
    b"\xff\xfe",
]


def test_lines_that_are_no_results_are_refused_by_place_and_the_others_stay(settings, built):
    save(settings, ITEM)
    path = keep(settings, ITEM)
    lines = [line if isinstance(line, bytes) else line.encode() for line in BROKEN_LINES]
    path.write_bytes(b"\n".join([*lines, b"", path.read_bytes()]))
    now = built()
    rejects = now.read("SELECT source_name, path, place, reason FROM rejects").rows()
    where = str(path.relative_to(settings.data))
    assert [each[:3] for each in rejects] == [(None, where, f"line {at + 1}") for at in range(len(lines))]
    assert all("expected" in reason and "Run the set again" in reason for *_, reason in rejects)
    assert triplet_tests.answer(now, TripletQuestion("mine")).outcomes.height == 1
    keep(settings, ITEM)
    assert row_counts(built())["rejects"] == 0, "a run writes the file anew"


def test_cosine_that_is_no_number_is_missing(settings):
    save(settings, ITEM)
    path = keep(settings, ITEM)
    path.write_text(path.read_text("utf-8").replace("[0.9]", "[NaN]"), "utf-8")
    found = read_triplets(settings, "mine")
    assert found.similarities["similarity"].to_list() == [None, 0.5, 0.4] and found.rejects.is_empty()


def test_line_that_is_no_item_and_a_name_that_no_set_can_have_are_refused(settings):
    save(settings, ITEM)
    file = settings.data / "triplets" / "mine.jsonl"
    file.write_text(file.read_text("utf-8") + '{"id": "8"}\n', "utf-8")
    (file.parent / "no name.jsonl").write_text("", "utf-8")
    refused = [read_triplets(settings, name).rejects.row(0)[1:3] for name in ("mine", "no name")]
    assert refused == [("triplets/mine.jsonl", "line 2"), ("triplets/no name.jsonl", "")]
    assert "no name" in triplet_states(settings), "a build says what is amiss instead of ending"


def test_visitors_drafts_and_results_without_a_set_are_in_no_snapshot(settings):
    folder = settings.data / "triplets" / "visitors"
    folder.mkdir(parents=True)
    (folder / "anju.jsonl").write_text(json.dumps(ITEM.as_record()) + "\n", "utf-8")
    keep(settings, ITEM, name="gone")
    assert not {"anju", "visitor-anju", "gone"} & set(triplet_states(settings))


def test_counts_are_read_and_what_is_none_is_refused(settings, built):
    path = count(settings, json.dumps(asdict(COUNT)), '{"language": "x"}')
    now = built()
    costs = tokenization.answer(now)
    assert costs.select("texts_name", "model_name", "model_revision", "tokens", "tokens_per_word").rows() == [
        ("mine", "org/m", "r1", 10, 1.25)
    ]
    assert now.read("SELECT path, place FROM rejects").rows() == [(str(path.relative_to(settings.data)), "line 2")]
    count(settings, json.dumps(asdict(replace(COUNT, tokens=20))))
    now = built()
    assert tokenization.answer(now)["tokens"].to_list() == [20] and row_counts(now)["rejects"] == 0


def test_store_with_sets_agrees_with_its_files_and_with_a_build_from_nothing(settings, built):
    save(settings, ITEM)
    first = keep(settings, ITEM)
    count(settings, json.dumps(asdict(COUNT)))
    built()
    keep(settings, ITEM, model="org/n", prompt="query: ")
    first.write_text("{\n" + first.read_text("utf-8"), "utf-8")
    built()
    assert check_store(settings).problems == ()
    first.write_text("", "utf-8")
    assert any(each.startswith("triplet_") for each in check_store(settings).problems)


def test_prompts_with_any_line_end_stay_one_line(settings):
    save(settings, ITEM, replace(ITEM, item_id="8"))
    prompt = "a\u2028b\x85c\u2029d\re\nf"
    keep(settings, ITEM, prompt=prompt)
    keep(settings, replace(ITEM, item_id="8"), prompt=prompt)
    found = read_triplets(settings, "mine")
    assert found.similarities.select("item_id", "base_prompt").unique().sort("item_id").rows() == [
        ("007", prompt), ("8", prompt)
    ]  # fmt: skip
    assert found.rejects.is_empty()


def test_model_that_was_not_asked_is_named_with_those_that_were(settings, built):
    save(settings, ITEM)
    keep(settings, ITEM)
    now = built()
    with pytest.raises(UsageError, match="'org/x' was not asked about mine; there are: org/m"):
        triplet_tests.answer(now, TripletQuestion("mine", ("org/x",)))
    chosen = triplet_tests.answer(now, TripletQuestion("mine", ("org/m",)))
    assert chosen.settings == {"set": "mine", "models": "org/m"} and chosen.outcomes.height == 1
