"""A study file says what to run; what it cannot mean is refused with what was expected."""

import msgspec
import pytest

from engine.errors import UsageError
from engine.study.file import ModelEntry, make_study, parse_study, read_study

WHOLE = {"name": "s", "models": ["a"], "tasks": ["t"]}


def test_file_and_request_are_the_same_study(tmp_path):
    fields = {**WHOLE, "models": ["a", {"name": "b/c", "revision": "1"}], "prompts": ["demo"], "limit": 5}
    study = make_study(fields)
    (tmp_path / "s.toml").write_text(study.file_text)
    assert read_study(tmp_path / "s.toml") == study == make_study(msgspec.to_builtins(study))
    assert study.models == (ModelEntry("a"), ModelEntry("b/c", "1"))


def test_model_at_a_revision_is_short_for_both_fields():
    models = make_study({**WHOLE, "models": ["b/c@1f", "./with@sign", {"name": "d", "revision": "2"}]}).models
    assert models == (ModelEntry("b/c", "1f"), ModelEntry("./with@sign"), ModelEntry("d", "2"))
    assert [each.words for each in models] == ["b/c@1f", "./with@sign", "d@2"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'models = ["a"]\nlimit = = 3', "faq.toml .*line 2, column 9"),
        (b"\xff", "faq.toml .*position 0"),
        (b'models = ["a"]\ntasks = ["t", 3]', r"at `tasks\[1\]`"),
        (b'models = [{name = "a", rev = "1"}]\ntasks = ["t"]', r"`rev` - at `models\[0\]`"),
    ],
)
def test_error_in_a_file_names_its_place(content, words):
    with pytest.raises(UsageError, match=words):
        parse_study(content, "faq.toml")


def test_file_without_a_name_is_called_by_its_own(tmp_path):
    (tmp_path / "faq.toml").write_text('models = ["a"]\ntasks = ["t"]\n')
    assert read_study(tmp_path / "faq.toml").name == "faq"


def test_paths_are_those_beside_the_file(tmp_path):
    (tmp_path / "texts.csv").touch()
    (tmp_path / "s.toml").write_text('models = ["org/model"]\ntasks = ["texts.csv", "STS14"]\n')
    study = read_study(tmp_path / "s.toml")
    assert study.tasks == (str(tmp_path / "texts.csv"), "STS14")
    assert study.models[0].name == "org/model"


def test_limited_study_has_a_source_of_its_own():
    whole, part = make_study(WHOLE), make_study({**WHOLE, "limit": 20})
    assert (whole.source_name, part.source_name) == ("s", "s-limit20")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"models": []}, "names no model"),
        ({"models": ["a", {"name": "a", "revision": "2"}]}, "names a twice"),
        ({"tasks": []}, "names no task"),
        ({"name": "../x"}, "name is '../x'"),
        ({"limit": 0}, "limit is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"device": "gpu"}, "cuda:1"),
        ({"dtype": "int8"}, "bfloat16"),
        ({"model": ["a"]}, "has no model"),
        ({"models": "a"}, "cannot be read"),
        ({"seed": "many"}, "seed is 'many'"),
        ({"models": [""]}, "one that is empty"),
        ({"prompts": [" "]}, "one that is empty"),
    ],
)
def test_what_a_study_cannot_mean_is_refused(changes, words):
    with pytest.raises(UsageError, match=words):
        make_study({**WHOLE, **changes})


def test_file_that_is_no_study_is_refused(tmp_path):
    (tmp_path / "s.toml").write_text("models = [")
    for path in ("s.toml", "missing.toml"):
        with pytest.raises(UsageError, match="TOML"):
            read_study(tmp_path / path)


def test_prompt_written_where_its_file_belongs_is_a_name_however_long(tmp_path):
    (tmp_path / "s.toml").write_text(f'models = ["a"]\ntasks = ["t"]\nprompts = ["{"Find the answer. " * 300}"]\n')
    assert read_study(tmp_path / "s.toml").prompts == ("Find the answer. " * 300,)


@pytest.mark.parametrize("fields", [3, "name", [{}]])
def test_request_for_what_has_no_fields_is_refused(fields):
    with pytest.raises(UsageError, match="expected its fields"):
        make_study(fields)
