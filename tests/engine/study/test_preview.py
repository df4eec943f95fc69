"""A preview says what a study would do, and shows real texts as they would be encoded."""

from dataclasses import replace

import msgspec

from engine.schema import PromptOrigin
from engine.study.board import PreviewAnswer, from_json, to_json
from engine.study.preview import preview_study
from engine.study.resolve import resolve
from engine.study.run import run_study
from engine.sweep.prompting import PlainPrompts, Prefix
from tests.engine.sweep.fakes import RecordingEncoder, local_task, model


def encoder_of(model):
    return model.load(None)


def preview(settings, study):
    return preview_study(resolve(settings, study), encoder_of)


def test_preview_counts_runs_texts_and_tokens(settings, study):
    seen = preview(settings, study)
    assert (seen.runs, seen.existing) == (8, 0)
    (first, second) = seen.models
    # 9 + 6 distinct texts of the one task under three settings, and those of the other that are not among them.
    assert (first.model_name, first.runs, first.texts) == ("test/a", 4, second.texts)
    assert first.tokens > first.texts and first.seconds >= 0


def test_preview_agrees_with_what_is_encoded_then(settings, study, offered):
    expected = preview(settings, study).models[0].texts
    offered["models"]["test/a"] = model(encoder := RecordingEncoder("test/a"))
    run_study(settings, resolve(settings, study), ("cpu",), lambda _: None)
    assert len(encoder.seen) == expected == len(set(encoder.seen))


def test_what_exists_is_not_counted_again(settings, study):
    run_study(settings, resolve(settings, study), ("cpu",), lambda _: None)
    seen = preview(settings, study)
    assert (seen.runs, seen.existing) == (8, 8)
    assert [(each.texts, each.tokens, each.seconds) for each in seen.models] == [(0, 0, 0.0)] * 2


def test_examples_tell_prompt_and_text_apart_on_each_side(settings, study, offered, prompt_file):
    retrieval = local_task("Retrieval")
    offered["tasks"]["TinyBitextMining"] = retrieval.sweep_task()
    offered["models"]["test/a"] = model(RecordingEncoder("test/a"), {"query": "query: ", "document": "passage: "})
    prompt_file.write_text(
        '{"task_name": "TinyRetrieval", "prompt_type": "query", "text": "", "kind": "minimal"}\n'
        '{"task_name": "TinyRetrieval", "prompt_type": "query", "text": "Find: ", "kind": "minimal"}\n'
    )
    examples = [each for each in preview(settings, study).examples if each.model_name == "test/a"]
    searched = [each for each in examples if each.task_name == "TinyRetrieval"]
    shown = {(each.side, each.prompt_text, each.parts[0]) for each in searched}
    assert shown == {
        ("query", None, ("prompt", "query: ")),
        ("document", None, ("prompt", "passage: ")),
        ("query", "Find: ", ("prompt", "Find: ")),
        ("document", "Find: ", ("prompt", "passage: ")),
    }
    assert len(searched) == 4 * 3
    assert all(each.parts[-1][0] == "text" for each in examples)


def test_model_or_task_that_breaks_costs_its_own_part(settings, study, offered):
    def broken(compute):
        raise OSError("no weights")

    offered["models"]["test/a"] = replace(offered["models"]["test/a"], load=broken)
    offered["tasks"]["TinyPairClassification"] = replace(
        offered["tasks"]["TinyPairClassification"], build=lambda: 1 / 0
    )
    seen = preview(settings, study)
    assert [(each.what, each.name) for each in seen.refused] == [
        ("task", "TinyPairClassification"),
        ("model", "test/a"),
    ]
    assert [each.seconds is None for each in seen.models] == [True, False]


def test_preview_survives_the_way_to_a_page(settings, study):
    seen = preview(settings, study)
    assert from_json(to_json(seen), PreviewAnswer) == seen
    assert [kind for kind, _ in to_json(seen)["examples"][0]["parts"]] == ["text"]


def test_limit_is_said(settings, study):
    seen = preview(settings, msgspec.structs.replace(study, limit=3))
    assert any("At most 3" in note for note in seen.notes)


def test_prompt_that_brings_the_template_is_pointed_at(settings, study, offered):
    class Templated(PlainPrompts):
        def chosen(self, text, side):
            return Prefix(text, PromptOrigin.STUDY, note="stands in the model's template already")

    offered["models"]["test/a"] = replace(model(RecordingEncoder("test/a")), style=Templated())
    notes = [note for note in preview(settings, study).notes if "template" in note]
    assert notes and all(note.startswith("test/a: the prompt '") for note in notes)
    assert len(set(notes)) == len(notes)


class ShortSighted(RecordingEncoder):
    """Reads 30 tokens at most."""

    def count_tokens(self, strings):
        return [min(count, 30) for count in super().count_tokens(strings)]


def test_prompt_that_leaves_no_room_for_any_text_is_said(settings, study, offered, prompt_file):
    prompt_file.write_text(
        '{"task_name": "TinyBitextMining", "text": "short "}\n'
        f'{{"task_name": "TinyBitextMining", "text": "{"long " * 40}"}}\n'
    )
    offered["models"]["test/a"] = model(ShortSighted("test/a"))
    (note,) = [note for note in preview(settings, study).notes if "sees nothing" in note]
    assert "test/a reads 30 tokens" in note and "'long long" in note
