"""Models asked about items: each string once, broken vectors by name, ties by what encoding again moves."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import UsageError
from engine.ingest.triplets import read_triplets
from engine.settings import Settings
from engine.sweep.encoders import Identity
from engine.sweep.vectors import VectorFile, VectorSource
from engine.triplets.calibration import FLOOR, MULTIPLE, SAMPLE, calibration_file, read_calibration
from engine.triplets.files import begin_set, read_set, save_set, set_names
from engine.triplets.items import GlossedText, TripletItem
from engine.triplets.results import Roles, keep_lines, read_lines, results_file
from engine.triplets.run import cosine, measure, run_triplets
from tests.engine.sweep.fakes import WIDTH, RecordingEncoder, vector_of

ITEM = TripletItem(
    "0007", "eng-Latn", "the cat sat", (GlossedText("a cat was sitting"),), (GlossedText("the bat sat"),)
)
NAN, INF = float("nan"), float("inf")


class BrokenEncoder(RecordingEncoder):
    """Gives what it is told for some strings."""

    def __init__(self, broken):
        super().__init__()
        self.broken = broken

    def encode(self, strings):
        rows = super().encode(strings)
        for at, string in enumerate(strings):
            if string in self.broken:
                rows[at] = self.broken[string]
        return rows


class ShakyEncoder(RecordingEncoder):
    """Its vectors depend on how many texts share the batch, as those of a model in few bits do."""

    def __init__(self, dtype="bfloat16"):
        super().__init__()
        self.identity = Identity("test/shaky", "1", dtype, None, False, WIDTH)

    def encode(self, strings):
        rows = super().encode(strings)
        rows[:, 0] += 0.01 * (len(strings) % 7)
        return rows


def numbered(n):
    return [
        TripletItem(f"{at:03}", "eng-Latn", f"base {at}", (GlossedText(f"right {at}"),), (GlossedText(f"wrong {at}"),))
        for at in range(n)
    ]


@pytest.fixture
def asked(settings: Settings, tmp_path):
    """Saves items as a set and asks an encoder about it; returns what came of it."""

    def ask(encoder, items, chosen=None, roles=({"base": None, "candidate": None},), models=("test/x",)):
        if "mine" not in set_names(settings):
            begin_set(settings, "mine")
        save_set(settings, "mine", items, read_set(settings, "mine").digest)
        file = VectorFile(tmp_path / "vectors.sqlite")
        options = {"set": "mine", "models": list(models), "items": chosen, "roles": list(roles)}
        with file:
            return run_triplets(settings, options, lambda *_: None, lambda _: VectorSource(encoder, file))

    return ask


def kept_lines(settings, encoder):
    identity = encoder.identity
    return results_file(settings, "mine", identity.model_name, identity.model_revision, Roles())


def source(encoder, tmp_path):
    return VectorSource(encoder, VectorFile(tmp_path / "vectors.sqlite"))


def test_outcome_of_one_item_follows_the_order_of_cosines(asked):
    answer = asked(RecordingEncoder(), [ITEM, replace(ITEM, item_id="8")], ["0007"])
    (outcome,) = answer["outcomes"]
    base, right, wrong = (vector_of(text) for text in ITEM.texts)
    assert outcome["outcome"] == ("right" if base @ right > base @ wrong else "wrong")
    assert outcome["margin"] == pytest.approx(base @ right - base @ wrong, abs=1e-6)
    assert [each["text"] for each in outcome["similarities"]] == list(ITEM.texts[1:])


def test_two_items_with_the_same_texts_are_encoded_once(asked):
    encoder = RecordingEncoder()
    asked(encoder, [ITEM, replace(ITEM, item_id="8")])
    first_time, again = encoder.seen[:3], encoder.seen[3:]
    assert sorted(first_time) == sorted(again) == sorted(ITEM.texts), "and once more to see how far that moves them"


def test_prompts_of_both_roles_enter_the_strings(asked):
    encoder = RecordingEncoder()
    asked(encoder, [ITEM], roles=[{"base": "q: ", "candidate": "p: "}])
    assert set(encoder.seen) == {"q: the cat sat", "p: a cat was sitting", "p: the bat sat"}


def test_a_set_is_asked_again_only_about_what_changed(asked, settings):
    encoder, items = RecordingEncoder(), numbered(20)
    assert asked(encoder, items)["n_measured"] == 20
    encoder.seen.clear()
    changed = replace(items[3], anchor="another base")
    answer = asked(encoder, [*items[:3], changed, *items[4:], replace(ITEM, item_id="new")])
    assert (answer["n_measured"], answer["n_held"]) == (2, 19)
    assert sorted(encoder.seen) == sorted(["another base", *ITEM.texts])
    assert len(read_lines(kept_lines(settings, encoder))) == 21
    assert asked(encoder, items, models=())["n_measured"] == 0


def test_another_prompt_or_chosen_items_are_asked(asked):
    encoder, items = RecordingEncoder(), numbered(20)
    asked(encoder, items)
    assert asked(encoder, items, ["003"])["n_measured"] == 1
    assert asked(encoder, items, roles=[{"base": "q: ", "candidate": None}])["n_measured"] == 20


def test_results_belong_to_their_texts(asked, settings):
    asked(RecordingEncoder(), [ITEM])
    assert read_triplets(settings, "mine").similarities.height == 2
    save_set(settings, "mine", [replace(ITEM, anchor="changed")], read_set(settings, "mine").digest)
    changed = read_triplets(settings, "mine")
    assert (changed.similarities.height, changed.n_left_out) == (0, 1)


BROKEN = {
    "not a number": [NAN] * WIDTH, "partly not a number": [1, NAN] + [0] * (WIDTH - 2), "zeros": [0] * WIDTH,
    "infinite": [INF] * WIDTH, "minus infinite": [-INF] + [1] * (WIDTH - 1),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("role", ["anchor", "positives", "negatives"])
def test_a_broken_vector_makes_its_items_invalid_and_no_other(asked, settings, what, role):
    texts = {"anchor": "spoilt"} if role == "anchor" else {role: (GlossedText("spoilt"),)}
    items = [*numbered(6), replace(ITEM, **texts)]
    encoder = BrokenEncoder({"spoilt": np.array(BROKEN[what], dtype=np.float32)})
    (outcome,) = asked(encoder, items, ["0007"])["outcomes"]
    assert outcome["outcome"] == "invalid" and outcome["margin"] is None
    asked(encoder, items)
    lines = read_lines(kept_lines(settings, encoder))
    assert [line.item_id for line in lines.values() if line.reason] == ["0007"]
    assert "spoilt" in lines["0007"].reason and "Look at these texts" in lines["0007"].reason
    rows = read_triplets(settings, "mine").similarities
    missing = rows.filter(item_id="0007")["similarity"]
    assert missing.null_count() == (2 if role == "anchor" else 1)
    assert rows.filter(item_id="003")["similarity"].null_count() == 0


def test_vectors_of_another_width_make_all_invalid_with_a_reason(asked, settings):
    class Narrow(RecordingEncoder):
        def encode(self, strings):
            return super().encode(strings)[:, :3]

    encoder = Narrow()
    assert {each["outcome"] for each in asked(encoder, numbered(3), ["000", "001", "002"])["outcomes"]} == {"invalid"}
    assert "shape (1, 3), expected (1, 16)" in read_lines(kept_lines(settings, encoder))["000"].reason


def test_what_failed_is_tried_again_with_the_set(asked):
    items = [*numbered(20), replace(ITEM, anchor="spoilt")]
    asked(BrokenEncoder({"spoilt": [NAN] * WIDTH}), items)
    assert asked(RecordingEncoder(), items)["n_measured"] == 1


def test_text_without_room_fails_alone_by_name(asked, settings):
    """Field case 30: 500 short texts and one of 60,000 characters."""

    class Small(RecordingEncoder):
        def encode(self, strings):
            if sum(map(len, strings)) > 5_000:
                raise MemoryError("no room")
            return super().encode(strings)

    long = "many words " * 5_500
    encoder, items = Small(), [*numbered(165), replace(ITEM, anchor=long)]
    answer = asked(encoder, items)
    lines = read_lines(kept_lines(settings, encoder))
    assert answer["n_measured"] == 166 and answer["refused"] == []
    assert [line.item_id for line in lines.values() if line.reason] == ["0007"]
    assert "no memory for the text" in lines["0007"].reason and "60,500 characters" in lines["0007"].reason
    whole = {line.item_id: line.positives + line.negatives for line in lines.values() if not line.reason}
    roomy = RecordingEncoder("test/roomy")
    asked(roomy, items)
    for name, line in read_lines(kept_lines(settings, roomy)).items():
        if name in whole:
            assert line.positives + line.negatives == pytest.approx(whole[name], abs=1e-6)


def test_model_that_fails_otherwise_is_named_and_stops_no_other(settings):
    def encoders(name):
        if name == "test/bad":
            raise UsageError("no such model; expected another")
        return VectorSource(RecordingEncoder(), VectorFile(settings.data / "v.sqlite"))

    begin_set(settings, "mine")
    save_set(settings, "mine", [ITEM], read_set(settings, "mine").digest)
    options = {"set": "mine", "models": ["test/bad", "test/recorder"], "items": None}
    answer = run_triplets(settings, options, lambda *_: None, encoders)
    assert [each["name"] for each in answer["refused"]] == ["test/bad"] and answer["n_measured"] == 1


def test_noise_is_what_encoding_in_other_company_moves(tmp_path):
    items = numbered(30)
    lines = measure(source(ShakyEncoder(), tmp_path), items, Roles(), tmp_path / "x.jsonl", again=False)
    (noise,) = {line.noise for line in lines}
    assert noise > 1000 * FLOOR
    kept = read_calibration(calibration_file(tmp_path / "x.jsonl"))
    assert (kept.noise, kept.texts, kept.dtype) == (noise, 90, "bfloat16")
    largest = max(abs(one - other) for one, other in zip(*both_ways(items), strict=True))
    assert largest * 0.5 < noise / MULTIPLE


def both_ways(items):
    """Cosines of all items' candidates with batches of unlike sizes."""
    for size in (1, 6):
        encoder = ShakyEncoder()
        strings = [text for item in items for text in item.texts]
        parts = [encoder.encode(strings[at : at + size]) for at in range(0, len(strings), size)]
        rows = dict(zip(strings, np.concatenate(parts), strict=True))
        yield [cosine(rows[item.anchor], rows[text]) for item in items for text in item.texts[1:]]


def test_noise_of_an_encoder_that_repeats_itself_is_the_floor(tmp_path):
    (line,) = measure(source(RecordingEncoder(), tmp_path), [ITEM], Roles(), tmp_path / "x.jsonl", again=True)
    assert line.noise == FLOOR and line.spread is None


def test_calibration_costs_a_few_texts_however_large_the_set(tmp_path):
    encoder, items = RecordingEncoder(), numbered(400)
    measure(source(encoder, tmp_path), items, Roles(), tmp_path / "x.jsonl", again=False)
    assert len(encoder.seen) == 3 * 400 + SAMPLE


def test_calibration_does_not_depend_on_the_order_of_items(tmp_path):
    kept = []
    for at, items in enumerate((numbered(40), numbered(40)[::-1])):
        path = tmp_path / f"{at}.jsonl"
        measure(source(RecordingEncoder(), tmp_path / str(at)), items, Roles(), path, again=False)
        kept.append(read_calibration(calibration_file(path)))
    assert kept[0].spread == pytest.approx(kept[1].spread, abs=1e-12) and kept[0].noise == kept[1].noise


def test_one_item_takes_what_was_measured_on_its_set(asked, settings):
    encoder, items = ShakyEncoder(), numbered(20)
    asked(encoder, items)
    path = kept_lines(settings, encoder)
    measured = read_calibration(calibration_file(path))
    (outcome,) = asked(encoder, items, ["004"])["outcomes"]
    assert outcome["scaled_margin"] == outcome["margin"] / measured.spread
    assert read_calibration(calibration_file(path)) == measured
    line = read_lines(path)["004"]
    assert (line.noise, line.spread) == (measured.noise, measured.spread) and line.spread is not None


def test_set_is_calibrated_anew_once_it_outgrew_one_item(asked, settings):
    encoder, items = RecordingEncoder(), numbered(20)
    asked(encoder, items, ["004"])
    assert read_lines(kept_lines(settings, encoder))["004"].spread is None
    assert asked(encoder, items)["n_measured"] == 20
    assert {line.spread is None for line in read_lines(kept_lines(settings, encoder)).values()} == {False}


def test_other_numbers_are_measured_anew(asked):
    items = numbered(20)
    asked(ShakyEncoder("bfloat16"), items)
    assert asked(ShakyEncoder("bfloat16"), items)["n_measured"] == 0
    assert asked(ShakyEncoder("float32"), items)["n_measured"] == 20


def test_calibration_that_cannot_be_read_is_measured_anew(asked, settings):
    encoder, items = RecordingEncoder(), numbered(20)
    asked(encoder, items)
    calibration_file(kept_lines(settings, encoder)).write_text("no JSON", "utf-8")
    assert asked(encoder, items)["n_measured"] == 20


def test_unknown_item_is_said(asked):
    with pytest.raises(UsageError, match="Save it first"):
        asked(RecordingEncoder(), [ITEM], ["x"])


def test_lines_of_several_writers_are_all_kept(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = measure(source(RecordingEncoder(), tmp_path), numbered(24), Roles(), path, again=True)
    with ThreadPoolExecutor(8) as writers:
        list(writers.map(lambda line: keep_lines(path, [line]), lines))
    assert sorted(read_lines(path)) == [line.item_id for line in lines]
