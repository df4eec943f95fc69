"""Names become what can run; what cannot is one line each, and the rest runs."""

from dataclasses import replace

import msgspec
import pytest

from engine.errors import ModelUnavailable
from engine.study.file import ModelEntry, make_study
from engine.study.resolve import find_model, prompt_sets, resolve


def test_study_becomes_a_plan_in_its_own_order(settings, study):
    runs = resolve(settings, study).plan.runs
    assert [(run.model.name[-1], run.task.name[4:8], run.prompt_text) for run in runs] == [
        (model, *cell)
        for model in "ab"
        for cell in (("Bite", None), ("Bite", "one: "), ("Bite", "two: "), ("Pair", None))
    ]
    assert {run.result.relative_to(settings.results).parts[:2] for run in runs} == {("sweeps", "small")}


def test_entries_that_cannot_be_had_are_refused_in_one_line_and_the_rest_runs(settings, study):
    wanted = {
        **msgspec.to_builtins(study),
        "models": ["test/a", "gone/model"],
        "tasks": ["GoneTask", "TinyBitextMining"],
        "prompts": [*study.prompts, "gone-set"],
    }
    resolved = resolve(settings, make_study(wanted))
    assert [(each.what, each.name) for each in resolved.refused] == [
        ("model", "gone/model"),
        ("task", "GoneTask"),
        ("prompt", "gone-set"),
    ]
    assert not [each for each in resolved.refused if "\n" in each.reason]
    assert len(resolved.plan.runs) == 3


def test_loader_that_breaks_costs_its_own_entry(settings, study, monkeypatch, offered):
    class Broken(dict):
        def __contains__(self, name):
            if name == "test/b":
                raise OSError("no route to host")
            return super().__contains__(name)

    offered["models"] = Broken(offered["models"])
    resolved = resolve(settings, study)
    assert [each.reason for each in resolved.refused] == ["OSError: no route to host"]
    assert {run.model.name for run in resolved.plan.runs} == {"test/a"}


def test_prompt_for_a_side_that_the_task_lacks_is_refused_alone(settings, study, prompt_file):
    query = '{"task_name": "TinyBitextMining", "prompt_type": "query", "text": "q: ", "kind": "minimal"}\n'
    prompt_file.write_text(prompt_file.read_text() + query)
    resolved = resolve(settings, study)
    assert [(each.what, each.name) for each in resolved.refused] == [("prompt", "q: ")]
    assert len(resolved.plan.runs) == 8


def test_prompts_for_no_task_of_the_study_are_said(settings, study):
    resolved = resolve(settings, msgspec.structs.replace(study, tasks=("TinyPairClassification",)))
    (refusal,) = resolved.refused
    assert refusal.what == "prompt" and "None of its 2 prompts" in refusal.reason


def test_prompt_twice_runs_once(settings, study, prompt_file):
    prompt_file.write_text(prompt_file.read_text() * 2)
    assert len(resolve(settings, study).plan.runs) == 8


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "scorelens-demo/all-MiniLM-L6-v2"])
def test_bundled_model_is_found_by_both_of_its_names(settings, name):
    study = make_study({"name": "s", "models": [name], "tasks": ["t"]})
    assert find_model(settings, study.models[0]).name == "scorelens-demo/all-MiniLM-L6-v2"


def test_demo_stands_for_all_that_is_bundled(settings):
    resolved = resolve(settings, make_study({"name": "s", "models": ["demo"], "tasks": ["demo"], "prompts": ["demo"]}))
    assert not resolved.refused
    assert (len(resolved.models), len(resolved.tasks)) == (3, 4)


def test_limited_demo_task_is_never_taken_for_the_whole(settings):
    task = "ScorelensDjangoBitext"
    whole, part = (
        resolve(settings, make_study({"name": "s", "models": ["demo"], "tasks": [task], "limit": limit})).tasks[task]
        for limit in (None, 5)
    )
    assert whole.dataset_revision != part.dataset_revision and "limit5" in part.dataset_revision


def test_own_prompt_set_wins_over_the_projects(settings):
    settings.own_prompts.mkdir(parents=True)
    (settings.own_prompts / "demo.jsonl").touch()
    assert prompt_sets(settings)["demo"] == settings.own_prompts / "demo.jsonl"


def test_two_folders_of_one_name_do_not_share_their_results(settings, study, offered):
    offered["models"]["elsewhere/a"] = replace(offered["models"]["test/a"], revision="2")
    offered["tasks"]["elsewhere/tiny"] = replace(offered["tasks"]["TinyBitextMining"], dataset_revision="other")
    more = [*msgspec.to_builtins(study)["models"], "elsewhere/a"]
    wanted = {**msgspec.to_builtins(study), "models": more, "tasks": [*study.tasks, "elsewhere/tiny"]}
    resolved = resolve(settings, make_study(wanted))
    assert [(each.what, each.name) for each in resolved.refused] == [
        ("model", "elsewhere/a"),
        ("task", "elsewhere/tiny"),
    ]
    assert "the name test/a, as test/a does" in resolved.refused[0].reason
    assert len(resolved.plan.runs) == 8


def test_model_under_both_of_its_names_runs_once(settings, study, offered):
    offered["models"]["a"] = offered["models"]["test/a"]
    wanted = make_study({**msgspec.to_builtins(study), "models": ["test/a", "a"]})
    resolved = resolve(settings, wanted)
    assert not resolved.refused and len(resolved.plan.runs) == 4


def test_bundled_model_in_another_revision_is_refused_unless_a_lock_says_so(settings):
    entry = ModelEntry("all-MiniLM-L6-v2", revision="9.9")
    with pytest.raises(ModelUnavailable, match=r"is here in revision .*; expected 9\.9"):
        find_model(settings, entry)
    study = make_study({"name": "s", "models": ["all-MiniLM-L6-v2"], "tasks": ["ScorelensDjangoBitext"]})
    resolved = resolve(settings, study, pins={"all-MiniLM-L6-v2": "9.9"})
    assert not resolved.refused, "the lock is compared with what is here, and names the difference"


def test_model_that_cannot_be_swept_is_named_once_a_task_and_not_for_each_prompt(settings, study, monkeypatch):
    def broken(folder, models, tasks, prompts):
        raise ModelUnavailable(f"{models[0].name} brings no usable settings.")

    monkeypatch.setattr("engine.study.resolve.plan_sweep", broken)
    refused = resolve(settings, study).refused
    assert {each.what for each in refused} == {"model"} and len(refused) == 4
