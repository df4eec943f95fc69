"""A locked study runs as it was, or says what is different."""

from dataclasses import replace

import msgspec
import pytest

from engine.errors import UsageError
from engine.study.pins import keep_pins, lock_path, read_pins
from engine.study.resolve import resolve


@pytest.fixture
def locked(settings, study, tmp_path):
    path = lock_path(tmp_path / "small.toml")
    assert keep_pins(path, resolve(settings, study), relock=False) == []
    return path


def test_lock_lies_beside_the_study_and_holds_what_it_stood_for(locked, study):
    pins = read_pins(locked)
    assert locked.name == "small.lock.json"
    assert pins.models == {"test/a": "1", "test/b": "1"}
    assert len(pins.tasks) == 2 and [len(ids) for ids in pins.prompts.values()] == [2]
    assert pins.versions["mteb"]


def test_same_study_runs_again(locked, settings, study):
    before = locked.read_bytes()
    assert keep_pins(locked, resolve(settings, study), relock=False) == []
    assert locked.read_bytes() == before


def other_model(offered, study, prompt_file):
    offered["models"]["test/b"] = replace(offered["models"]["test/b"], revision="2")
    return study


def other_data(offered, study, prompt_file):
    task = offered["tasks"]["TinyBitextMining"]
    offered["tasks"]["TinyBitextMining"] = replace(task, dataset_revision="new")
    return study


def other_prompts(offered, study, prompt_file):
    prompt_file.write_text(prompt_file.read_text().replace("two: ", "Two: "))
    return study


def other_seed(offered, study, prompt_file):
    return msgspec.structs.replace(study, seed=7)


def other_limit(offered, study, prompt_file):
    return msgspec.structs.replace(study, limit=7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (other_model, "model test/b: revision 2, locked 1"),
        (other_data, "task TinyBitextMining: revision new, locked"),
        (other_prompts, "1 prompts more and 1 fewer"),
        (other_seed, "seed: 7, locked 42"),
        (other_limit, "limit: 7, locked None"),
    ],
)
def test_difference_is_refused_by_name_unless_locked_anew(locked, settings, study, offered, prompt_file, change, words):
    resolved = resolve(settings, change(offered, study, prompt_file))
    with pytest.raises(UsageError, match=words):
        keep_pins(locked, resolved, relock=False)
    keep_pins(locked, resolved, relock=True)
    assert keep_pins(locked, resolved, relock=False) == []


def test_entry_that_is_new_or_gone_is_no_difference(locked, settings, study, offered):
    offered["models"]["test/c"] = replace(offered["models"]["test/a"], name="test/c")
    del offered["models"]["test/a"]
    more = msgspec.structs.replace(study, models=(*study.models, type(study.models[0])("test/c")))
    keep_pins(locked, resolve(settings, more), relock=False)
    assert sorted(read_pins(locked).models) == ["test/a", "test/b", "test/c"]


def test_locked_revision_is_looked_up_where_the_study_names_none(settings, study, offered, monkeypatch):
    from engine.study import resolve as resolving

    asked = []
    monkeypatch.setattr(resolving, "find_model", lambda _, entry: asked.append(entry) or offered["models"][entry.name])
    resolve(settings, study, pins={"test/a": "abc"})
    assert [entry.revision for entry in asked] == ["abc", None]


def test_other_versions_are_told_and_not_refused(locked, settings, study):
    pins = read_pins(locked)
    older = msgspec.structs.replace(pins, versions={**pins.versions, "mteb": "1.0"})
    locked.write_bytes(msgspec.json.encode(older))
    (line,) = keep_pins(locked, resolve(settings, study), relock=False)
    assert line.startswith("mteb is ") and "locked with 1.0" in line


def test_file_that_is_no_lock_is_refused(tmp_path):
    (tmp_path / "x.lock.json").write_text("[]")
    with pytest.raises(UsageError, match="--relock"):
        read_pins(tmp_path / "x.lock.json")
