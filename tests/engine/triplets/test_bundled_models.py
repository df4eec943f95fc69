"""Real models on real items: exact ties, verdicts that no order or batch changes, tokens as the encoder reads them."""

import numpy as np
import pytest

import engine.sweep.encoders
from engine.analysis.triplet_outcomes import INVALID, TIE, judge
from engine.demo.models import E5, MINILM, USE
from engine.settings import Settings
from engine.sweep.tokenizing import count_text
from engine.sweep.vectors import VectorFile, VectorSource
from engine.triplets.calibration import FLOOR
from engine.triplets.files import read_set
from engine.triplets.results import Roles
from engine.triplets.run import measure

ELEPHANT = "ml-01"
names = pytest.mark.parametrize("name", [MINILM, USE, E5])


@pytest.fixture
def items(settings: Settings):
    return read_set(settings, "starter").items


def asked(encoder, parts, folder, name):
    """Lines by item: each part of the items asked for by itself, over a file of vectors of its own."""
    path = folder / f"{name}.jsonl"
    with VectorFile(folder / f"{name}.sqlite") as file:
        source = VectorSource(encoder, file)
        return {line.item_id: line for part in parts for line in measure(source, part, Roles(), path, again=True)}


def verdicts(lines):
    judged = {name: judge(line.positives, line.negatives, line.noise) for name, line in lines.items()}
    return {name: (each.outcome, each.place, each.n_tied) for name, each in judged.items()}


def test_texts_that_a_tokenizer_reads_alike_are_exact_ties(items, tmp_path, demo_encoders):
    elephant = [next(item for item in items if item.item_id == ELEPHANT)]
    line = asked(demo_encoders[MINILM], [elephant], tmp_path, "one")[ELEPHANT]
    judged = judge(line.positives, line.negatives, line.noise)
    assert judged.n_tied == 3
    assert judge(line.positives, line.negatives[:3], line.noise).outcome == TIE


@names
def test_verdicts_do_not_depend_on_order_batches_or_company(items, tmp_path, demo_encoders, monkeypatch, name):
    encoder, some = demo_encoders[name], items[::7]
    whole = asked(encoder, [some], tmp_path, "whole")
    expected = verdicts(whole)
    shuffled = [some[at] for at in np.random.default_rng(5).permutation(len(some))]
    assert expected == verdicts(asked(encoder, [shuffled], tmp_path, "shuffled"))
    assert expected == verdicts(asked(encoder, [[item] for item in some], tmp_path, "alone"))
    for budget in (1, 4096):
        monkeypatch.setitem(engine.sweep.encoders.TOKENS_PER_BATCH, "cpu", budget)
        assert expected == verdicts(asked(encoder, [some], tmp_path, f"budget {budget}"))
    assert INVALID not in {outcome for outcome, *_ in expected.values()}
    assert {line.noise for line in whole.values()} == {FLOOR}, "in float32, encoding again moves next to nothing"


@names
def test_counted_tokens_are_those_that_the_encoder_reads(items, demo_encoders, name):
    encoder = demo_encoders[name]
    texts = [text for item in items for text in item.texts]
    counted = [count_text(encoder, text, "query: ").tokens for text in texts]
    assert counted == encoder.count_tokens(["query: " + text for text in texts])
