"""Shards are parts of the plan that nobody has to agree on; devices share what is left by its weight."""

from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest

from engine.errors import UsageError
from engine.study.resolve import resolve
from engine.study.shards import Shard, parse_shard, spread


@pytest.mark.parametrize("of", [1, 2, 3, 4, 7])
def test_shards_are_the_plan_cut_without_overlap(settings, study, of):
    whole = [run.result for run in resolve(settings, study).plan.runs]
    parts = [[run.result for run in resolve(settings, study, Shard(at, of)).plan.runs] for at in range(1, of + 1)]
    assert Counter(chain.from_iterable(parts)) == Counter(whole)


def test_whole_models_stay_on_one_machine_where_there_are_enough(settings, study):
    parts = [resolve(settings, study, Shard(at, 2)).plan.runs for at in (1, 2)]
    assert [{run.model.name for run in part} for part in parts] == [{"test/a"}, {"test/b"}]


def test_shard_does_not_depend_on_what_a_machine_cannot_get(settings, study, offered):
    before = [run.result for run in resolve(settings, study, Shard(2, 2)).plan.runs]
    del offered["models"]["test/a"]
    assert [run.result for run in resolve(settings, study, Shard(2, 2)).plan.runs] == before


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3"])
def test_text_that_is_no_shard_is_refused(text):
    with pytest.raises(UsageError, match="i/n"):
        parse_shard(text)


def test_heaviest_model_has_a_device_for_itself(settings, study, offered):
    models = offered["models"]
    models["test/b"] = replace(models["test/b"], active_parameters=10**9)
    models["test/c"] = replace(models["test/a"], name="test/c")
    wanted = replace_models(study, "test/a", "test/b", "test/c")
    shares = spread(resolve(settings, wanted).plan.runs, 2)
    assert [{run.model.name for run in share} for share in shares] == [{"test/b"}, {"test/a", "test/c"}]


def test_single_model_is_spread_by_task(settings, study):
    shares = spread(resolve(settings, replace_models(study, "test/a")).plan.runs, 4)
    assert [{run.task.name for run in share} for share in shares] == [{"TinyBitextMining"}, {"TinyPairClassification"}]


def replace_models(study, *names):
    from engine.study.file import make_study

    return make_study({"name": "s", "models": list(names), "tasks": list(study.tasks), "prompts": list(study.prompts)})
