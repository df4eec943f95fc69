import polars as pl
import pytest

from engine.errors import StoreError
from engine.ingest import metadata as module
from engine.ingest.metadata import BENCHMARK_ROW_FRAME, FRAMES, mteb_metadata, run_export
from engine.schema import BENCHMARKS, MODELS, TASKS, problems_in
from engine.settings import Settings

MULTILINGUAL = "MTEB(Multilingual, v2)"


@pytest.fixture(scope="module")
def metadata(metadata_cache, tmp_path_factory):
    folder = tmp_path_factory.mktemp("metadata-test")
    (folder / "metadata").symlink_to(metadata_cache, target_is_directory=True)
    return mteb_metadata(Settings(data=folder))


@pytest.fixture(scope="module")
def multilingual_rows(metadata):
    rows = metadata.benchmark_rows.filter(benchmark_name=MULTILINGUAL)
    return rows.join(metadata.task_rows, on=["task_name", "split", "subset"], how="left")


def test_metadata_frames_are_rows_of_their_tables(metadata):
    tables = ((metadata.models, MODELS), (metadata.tasks, TASKS), (metadata.benchmarks, BENCHMARKS))
    assert [problems_in(frame, table) for frame, table in tables] == [[], [], []]
    assert metadata.benchmark_rows.schema == BENCHMARK_ROW_FRAME
    assert not metadata.benchmark_rows.is_duplicated().any()
    assert not metadata.task_rows.select("task_name", "split", "subset").is_duplicated().any()


def test_metadata_counts_the_tasks_of_the_multilingual_benchmark(multilingual_rows, golden):
    numbers = golden["numbers"]
    assert multilingual_rows["task_name"].n_unique() == numbers["mmteb.tasks"]["value"]
    assert multilingual_rows["languages"].null_count() == 0
    for language in ("eng-Latn", "mal-Mlym", "awa-Deva"):
        of_language = multilingual_rows.filter(pl.col("languages").list.contains(language))
        assert of_language["task_name"].n_unique() == numbers[f"mmteb.tasks.{language}"]["value"], language


@pytest.mark.parametrize(("language", "name"), [("eng-Latn", "english"), ("mal-Mlym", "malayalam")])
def test_metadata_counts_the_rows_of_a_language(multilingual_rows, golden, language, name):
    numbers = golden["numbers"]
    of_language = multilingual_rows.filter(pl.col("languages").list.contains(language))
    assert len(of_language) == numbers[f"mmteb.{name}_rows_distinct"]["value"]
    assert of_language["languages"].list.count_matches(language).sum() == numbers[f"mmteb.{name}_rows"]["value"]
    assert len(of_language.filter(task_name="FloresBitextMining")) == numbers["mmteb.malayalam_flores_rows"]["value"]


def test_metadata_takes_the_subsets_that_a_benchmark_selects(metadata):
    rows = metadata.benchmark_rows.filter(benchmark_name="MTEB(eng, v2)", task_name="MassiveScenarioClassification")
    assert rows["subset"].to_list() == ["en"]


def test_metadata_counts_queries_and_documents(metadata):
    rows = metadata.task_rows
    assert rows.filter(task_name="FEVERHardNegatives").select("n_queries", "n_documents", "n_samples").rows() == [
        (1_000, 163_698, 164_698)
    ]
    assert rows.filter(task_name="STS22.v2", subset="en").select("n_queries", "n_samples").rows() == [(None, 197)]


@pytest.mark.parametrize(
    ("model_name", "scheme", "template"),
    [
        ("BAAI/bge-base-en-v1.5", "fixed prefix", None),
        ("intfloat/multilingual-e5-small", "fixed prefix", None),
        ("intfloat/multilingual-e5-large-instruct", "free", "Instruct: {instruction}\nQuery: "),
        ("Qwen/Qwen3-Embedding-0.6B", "free", "Instruct: {instruction}\nQuery:"),
        ("sentence-transformers/all-MiniLM-L6-v2", "none", None),
    ],
)
def test_metadata_tells_what_models_take_before_a_text(metadata, model_name, scheme, template):
    card = metadata.models.filter(model_name=model_name)
    assert card.select("prompt_scheme", "instruction_template").rows() == [(scheme, template)]


def test_metadata_keeps_three_states_of_training_data(metadata):
    states = metadata.models.select(
        unknown=pl.col("training_datasets").is_null(),
        declared_none=pl.col("training_datasets").list.len() == 0,
        closure_unknown=pl.col("training_closure").is_null(),
    )
    assert states["unknown"].any()
    assert states["declared_none"].any()
    assert (states["unknown"] == states["closure_unknown"]).all()


def test_metadata_has_task_prompts_by_side(metadata):
    prompts = dict(metadata.tasks.select("task_name", "default_prompt_query").rows())
    assert prompts["FEVER"] == "Given a claim, retrieve documents that support or refute the claim"
    assert prompts["STS14"] is None, "a class default is no task default"


def test_metadata_is_exported_once(settings, metadata, monkeypatch):
    monkeypatch.setattr(module, "run_export", lambda *_: pytest.fail("exported again"))
    assert mteb_metadata(settings).tasks.equals(metadata.tasks)


def test_metadata_is_empty_without_mteb(settings, monkeypatch):
    monkeypatch.setattr(module, "mteb_version", lambda: None)
    empty = mteb_metadata(settings)
    assert empty.mteb_version is None
    assert {name: getattr(empty, name).schema for name in FRAMES} == FRAMES
    assert empty.tasks.is_empty()


def test_run_export_says_why_it_failed(tmp_path):
    with pytest.raises(StoreError, match="expected 0"):
        run_export("nonsense", tmp_path)
