import json

import polars as pl
import pytest

from engine.ingest.model_cards import model_card, prompt_scheme, read_model_cards
from engine.schema import MODELS, problems_in


@pytest.mark.parametrize(
    ("declared", "read"),
    [(None, None), ([], []), ({}, []), (["TaskA"], ["TaskA"]), ({"TaskA": ["train"]}, ["TaskA"]), ("TaskA", None)],
)
def test_model_card_keeps_three_states_of_training_data(declared, read):
    assert model_card({"name": "m", "training_datasets": declared}, described_by="source")["training_datasets"] == read


def test_model_card_takes_a_missing_key_for_unknown():
    card = model_card({"name": "m"}, described_by="source")
    assert card["training_datasets"] is card["training_closure"] is card["max_tokens"] is card["prompt_scheme"] is None


@pytest.mark.parametrize(
    ("declared", "read"), [(512.0, 512), (512, 512), (float("inf"), None), (None, None), ("512", None), (True, None)]
)
def test_model_card_takes_infinite_length_for_no_stated_limit(declared, read):
    assert model_card({"name": "m", "max_tokens": declared}, described_by="source")["max_tokens"] == read


@pytest.mark.parametrize(("declared", "read"), [(384, 384), ([256, 768], 768), ([], None), (None, None)])
def test_model_card_takes_the_full_dimension(declared, read):
    assert model_card({"name": "m", "embed_dim": declared}, described_by="source")["embed_dim"] == read


@pytest.mark.parametrize(
    ("meta", "scheme"),
    [
        ({"loader": "q3e_instruct_loader", "loader_kwargs": {}, "use_instructions": True}, "free"),
        ({"loader_kwargs": {"instruction_template": "{instruction}: "}}, "free"),
        ({"loader_kwargs": {"model_prompts": {"query": "query: "}}, "use_instructions": True}, "fixed prefix"),
        ({"loader_kwargs": {"model_prompts": {}}, "use_instructions": False}, "none"),
        ({"loader": "SentenceTransformerEncoderWrapper", "use_instructions": False}, "none"),
        ({"use_instructions": True}, None),
        ({}, None),
    ],
)
def test_prompt_scheme(meta, scheme):
    assert prompt_scheme(meta) == scheme


def test_read_model_cards_lets_the_first_file_of_a_model_speak(tmp_path):
    cards = {
        "a.json": {"name": "m/a", "embed_dim": 1, "max_tokens": float("inf"), "training_datasets": []},
        "b.json": {"name": "m/a", "embed_dim": 2},
        "c.json": {"name": None},
        "d.json": "{",
        "e.json": {"name": "m/b", "loader_kwargs": {"model_prompts": {"query": "é: "}}},
    }
    for name, card in cards.items():
        (tmp_path / name).write_text(card if isinstance(card, str) else json.dumps(card))
    models = read_model_cards(tmp_path, [*cards, "gone.json"])
    assert problems_in(models, MODELS) == []
    assert models.select("model_name", "embed_dim", "max_tokens").rows() == [("m/a", 1, None), ("m/b", None, None)]
    assert models.filter(pl.col("model_name") == "m/b")["default_prompts"].to_list() == ['{"query": "é: "}']
