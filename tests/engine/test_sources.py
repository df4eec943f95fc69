"""The registry: what is a source, what is not, and what the message says then."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from engine.errors import SourceError, UsageError
from engine.ingest.frames import EXPECTED
from engine.schema import SourceKind
from engine.settings import Settings
from engine.sources import add_source, read_sources, remove_source, source_named, source_problems


@pytest.fixture
def cache(tmp_path) -> Path:
    (tmp_path / "cache" / "results" / "org__model" / "rev").mkdir(parents=True)
    return tmp_path / "cache"


def write_frame(path: Path, **other_types) -> Path:
    pl.DataFrame(schema={**EXPECTED, **other_types}).write_parquet(path)
    return path


def test_registry_is_empty_at_first(settings):
    assert read_sources(settings) == ()


def test_added_source_is_read_back(settings, cache, tmp_path):
    prompts = tmp_path / "prompts.jsonl"
    prompts.touch()
    added = add_source(settings, cache, "study", prompts=prompts)
    assert read_sources(settings) == (added,)
    assert (added.path, added.kind, added.prompts) == (cache, SourceKind.CACHE, prompts)


def test_sources_come_by_name(settings, cache):
    for name in ("b", "a", "c"):
        add_source(settings, cache, name)
    assert [source.name for source in read_sources(settings)] == ["a", "b", "c"]


def test_adding_a_name_again_points_it_elsewhere(settings, cache, tmp_path):
    add_source(settings, cache, "s")
    frame = write_frame(tmp_path / "frame.parquet")
    add_source(settings, frame, "s")
    assert [(source.path, source.kind) for source in read_sources(settings)] == [(frame, SourceKind.FRAME)]


@pytest.mark.parametrize("below", ["results", "remote", "remote/results", ""])
def test_path_inside_a_results_repository_finds_its_root(settings, tmp_path, below):
    (tmp_path / "repository" / "remote" / "results").mkdir(parents=True)
    (tmp_path / "repository" / "results").mkdir()
    assert add_source(settings, tmp_path / "repository" / below, "s").path == tmp_path / "repository"


def test_folder_above_the_cache_is_refused_with_the_right_one_named(settings, cache):
    with pytest.raises(SourceError, match=f"Did you mean {cache}"):
        add_source(settings, cache.parent, "s")


def test_path_that_does_not_exist_is_refused(settings, tmp_path):
    with pytest.raises(SourceError, match="does not exist"):
        add_source(settings, tmp_path / "nowhere", "s")


def test_parquet_file_without_the_columns_is_refused_and_names_them(settings, tmp_path):
    pl.DataFrame(schema=dict(list(EXPECTED.items())[:-2])).write_parquet(tmp_path / "f.parquet")
    with pytest.raises(SourceError, match="language is missing; score is missing"):
        add_source(settings, tmp_path / "f.parquet", "s")


def test_parquet_file_with_a_column_of_another_type_is_refused(settings, tmp_path):
    with pytest.raises(SourceError, match="score is String"):
        add_source(settings, write_frame(tmp_path / "f.parquet", score=pl.String), "s")


def test_file_that_is_no_parquet_is_refused(settings, tmp_path):
    (tmp_path / "f.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match="not a Parquet file"):
        add_source(settings, tmp_path / "f.parquet", "s")


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a b", "-x", "x" * 65, "ü"])
def test_odd_names_are_refused(settings, cache, name):
    with pytest.raises(UsageError, match="expected 1 to 64"):
        add_source(settings, cache, name)


def test_missing_prompt_file_is_refused(settings, cache):
    with pytest.raises(SourceError, match="not a file"):
        add_source(settings, cache, "s", prompts=cache / "prompts.jsonl")


@pytest.mark.parametrize("text", ["not JSON", '[{"task_name": "T"}]', '{"task_name": "T", "text": "x", "kind": "odd"}'])
def test_prompt_file_that_cannot_be_read_is_refused(settings, cache, tmp_path, text):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(SourceError, match="Repair the file"):
        add_source(settings, cache, "s", prompts=tmp_path / "p.json")
    assert read_sources(settings) == ()


def test_nothing_stands_in_the_way_of_a_sound_source(settings, cache):
    assert source_problems(add_source(settings, cache, "s")) == {}


def test_what_stands_in_the_way_of_a_source_is_named_by_path(settings, cache, tmp_path):
    (tmp_path / "p.jsonl").touch()
    source = add_source(settings, cache, "s", prompts=tmp_path / "p.jsonl")
    (tmp_path / "p.jsonl").unlink()
    shutil.rmtree(cache)
    problems = source_problems(source)
    assert list(problems) == [str(cache), str(tmp_path / "p.jsonl")]
    assert f"{cache} does not exist" in problems[str(cache)]


def test_folder_that_became_a_file_is_named(settings, cache):
    source = add_source(settings, cache, "s")
    shutil.rmtree(cache)
    write_frame(cache)
    assert "is mteb frame now" in source_problems(source)[str(cache)]


def test_removed_source_is_gone_and_its_files_stay(settings, cache):
    add_source(settings, cache, "s")
    remove_source(settings, "s")
    assert read_sources(settings) == () and cache.is_dir()


def test_unknown_source_names_near_ones(settings, cache):
    add_source(settings, cache, "prompt-study")
    with pytest.raises(UsageError, match="prompt-study"):
        source_named(settings, "promt-study")


def test_sources_inside_the_data_folder_move_with_it(settings, tmp_path):
    (settings.results / "demo" / "results").mkdir(parents=True)
    add_source(settings, settings.results / "demo", "demo")
    moved = settings.data.rename(tmp_path / "moved")
    assert [source.path for source in read_sources(Settings(moved))] == [moved / "results" / "demo"]


@pytest.mark.parametrize("text", ['[{"name": "x"}]', '["x"]', '{"name": "x"}', "{", "3"])
def test_damaged_registry_says_how_to_repair_it(settings, text):
    settings.sources_file.write_text(text)
    with pytest.raises(SourceError, match="engine add"):
        read_sources(settings)
