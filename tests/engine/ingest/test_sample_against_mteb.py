"""The scored rows of both leaderboards, as mteb builds them from the same files."""

import logging

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from engine.ingest.harvest import RUN_KEY
from engine.ingest.metadata import mteb_metadata
from engine.ingest.mteb_results import read_results
from engine.ingest.revisions import pick_revisions
from engine.ingest.scan import scan_source
from engine.schema import FILES, SourceKind

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # mteb names every row and score that a model lacks

KEY = ["model_name", "model_revision", "task_name", "split", "subset"]
COLUMNS = [*KEY, "languages", "score"]


@pytest.fixture(scope="module")
def metadata(metadata_cache, tmp_path_factory):
    from engine.settings import Settings

    folder = tmp_path_factory.mktemp("against-mteb")
    (folder / "metadata").symlink_to(metadata_cache, target_is_directory=True)
    return Settings(data=folder), mteb_metadata(Settings(data=folder))


@pytest.fixture(scope="module")
def harvest(metadata, sample_folder):
    settings, known = metadata
    scan = scan_source(sample_folder, SourceKind.CACHE, FILES.schema.to_frame())
    return read_results(settings, "sample", sample_folder, scan, known.tasks)


@pytest.fixture(scope="module")
def our_rows(harvest, metadata):
    """Every scored row of default runs, one revision a model and task."""
    main = metadata[1].models.select("model_name", main_revision="model_revision")
    picked = pick_revisions(harvest.runs.filter("is_default"), main)
    return harvest.named_scores().join(picked, on=RUN_KEY, how="semi").select(COLUMNS)


@pytest.fixture(scope="module")
def their_results(sample_folder):
    import mteb

    logging.disable(logging.WARNING)
    yield mteb.ResultCache(cache_path=sample_folder).load_results()
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    ("benchmark", "n_scored"),
    [("MTEB(Multilingual, v2)", 191_377), ("MTEB(eng, v2)", 1_296)],
    ids=["multilingual", "english"],
)
def test_scored_rows_equal_those_of_mteb(benchmark, n_scored, our_rows, their_results, metadata):
    """All models; mteb pads missing rows with nulls, which the store derives from the benchmark's rows instead."""
    import mteb

    theirs = their_results._to_results_df(mteb.get_benchmark(benchmark).tasks).rename({"language": "languages"})
    theirs = theirs.filter(pl.col("score").is_finite()).select(COLUMNS)
    rows = metadata[1].benchmark_rows.filter(benchmark_name=benchmark)
    ours = our_rows.filter(pl.col("score").is_not_null()).join(rows, on=["task_name", "split", "subset"], how="semi")
    assert len(ours) == n_scored
    assert_frame_equal(ours.sort(KEY), theirs.sort(KEY), check_exact=True)


def test_sample_refuses_only_old_files_without_a_main_score(harvest):
    assert len(harvest.rejects) == 5
    assert harvest.rejects["reason"].str.starts_with("no main score in a result from before mteb 1.11").all()
    assert len(harvest.files) == 5_226
