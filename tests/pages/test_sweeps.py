"""The sweeps page, with the engine's side written by hand: composing, preview, board, and every wrong input."""

import shutil

import pytest

from engine import heartbeat
from engine.errors import Busy
from engine.inbox import RequestKind, RequestState, Status, ask, read_requests, write_answer, write_status
from engine.pipeline import build
from engine.sources import add_source
from engine.study.board import Board, from_json
from engine.study.file import make_study
from engine.study.shards import Shard
from engine.study.standing import read_standing, told
from tests.pages.conftest import words
from tests.pages.result_trees import PLAIN_PROMPTS, write_tree

STEM = "sweeps"
ADDRESS = {"models": "all-MiniLM-L6-v2", "tasks": "STS14", "name": "mine"}
STUDY = {"name": "mine", "models": ["all-MiniLM-L6-v2"], "tasks": ["STS14"]}


@pytest.fixture
def engine_is_there(monkeypatch):
    monkeypatch.setattr(heartbeat, "is_alive", lambda _: True)


def cell(state, done, total, failed=0, task="STS14"):
    return {"model_name": "org/a", "task_name": task, "done": done, "total": total, "failed": failed, "state": state}


BOARD = {
    "done": 7, "total": 16, "existing": 1, "failed": 1, "texts_per_second": 123.4, "seconds_left": 65.0,
    "texts": 1000, "texts_encoded": 250,
    "cells": [cell("running", 8, 12, 1), cell("waiting", 0, 4, task="<i>T</i>")],
    "errors": [{"model_name": "org/a", "task_name": "STS14", "prompt_text": "<b>x</b>", "cause": "NaN in a vector"}],
    "refused": [{"what": "model", "name": "org/gone", "reason": "the hub has no model of that name."}],
    "devices": ["cpu"],
}  # fmt: skip


def swept(settings, state, board=BOARD, **status):
    request = ask(settings, RequestKind.SWEEP, {"study": STUDY})
    write_answer(settings, request.request_id, board)
    write_status(settings, request.request_id, Status(RequestState(state), **status))
    return request


def test_page_without_a_sweep_says_how_to_begin(settings, visitor, engine_is_there):
    at = visitor(settings).open(STEM)
    assert "No sweep was asked for here yet" in words(at)
    assert "Choose at least one model and one task" in words(at)


def test_composed_study_is_asked_for_as_it_stands_in_the_address(settings, visitor, engine_is_there):
    at = visitor(settings).open(STEM, **ADDRESS, sets="demo", limit="50", device="cpu")
    at.button(key="preview").click().run()
    (request,) = read_requests(settings)
    assert request.kind is RequestKind.PREVIEW
    assert request.options["study"] == {**STUDY, "prompts": ["demo"], "limit": 50, "device": "cpu"}
    options = "--name mine --models all-MiniLM-L6-v2 --tasks STS14 --prompts demo --limit 50 --device cpu"
    assert at.code[-1].value == f"python -m engine sweep {options}"
    at.button(key="start").click().run()
    assert [each.kind for each in read_requests(settings)] == [RequestKind.PREVIEW, RequestKind.SWEEP]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ({"limit": "many"}, "limit"),
        ({"limit": "0"}, "limit is 0; expected 1 or more"),
        ({"name": "a/b"}, "name is &#x27;a/b&#x27;; expected letters"),
    ],
)
def test_wrong_input_is_said_and_nothing_can_be_asked(address, says, settings, visitor, engine_is_there):
    at = visitor(settings).open(STEM, **{**ADDRESS, **address})
    assert says in words(at) and 'role="alert"' in words(at)
    assert "start" not in {button.key for button in at.button}


def test_running_sweep_shows_grid_pace_savings_and_errors_as_data(settings, visitor, engine_is_there):
    swept(settings, "running", stage="encoding and scoring")
    at = visitor(settings).open(STEM)
    said = words(at)
    assert "has <b>8 of 16</b> runs, about 1 min" in said
    assert "8 of 12" in said and "0 of 4" in said and "1 failed" in said
    assert "Saved by reuse: 750 of 1,000 texts (75" in said
    assert "&lt;i&gt;T&lt;/i&gt;" in said and "<i>T</i>" not in said
    assert "org/gone" in said and "NaN in a vector" in said and "&lt;b&gt;x&lt;/b&gt;" in said
    assert {button.key.partition("-")[0] for button in at.button} >= {"cancel"}


def test_state_of_a_cell_is_said_in_words(settings, visitor, engine_is_there):
    cells = [cell("running", 8, 12, 1), cell("waiting", 0, 4, task="T"), cell("failed", 3, 4, 1, "U")]
    swept(settings, "running", board={**BOARD, "cells": cells})
    at = visitor(settings).open(STEM)
    for word, runs in (("running", "8 of 12"), ("waiting", "0 of 4"), ("some failed", "3 of 4")):
        assert f'<span class="sl-hidden">{word}: </span> {runs}' in words(at)


def test_stopped_sweep_has_nothing_that_waits(settings, visitor, engine_is_there):
    swept(settings, "cancelled")
    said = words(visitor(settings).open(STEM))
    assert "mine</bdi> was stopped with <b>8 of 16</b> runs" in said
    assert '<span class="sl-hidden">some failed: </span> 8 of 12' in said
    assert '<span class="sl-hidden">not begun: </span> 0 of 4' in said and "waiting: </span>" not in said


def test_runs_that_failed_alike_are_said_once_with_what_they_share(settings, visitor, engine_is_there):
    fault = BOARD["errors"][0]
    errors = [fault, {**fault, "cause": "no network"}, {**fault, "prompt_text": "y"}, {**fault, "prompt_text": None}]
    swept(settings, "done", board={**BOARD, "failed": 60, "errors": errors})
    said = words(visitor(settings).open(STEM))
    assert said.count("NaN in a vector") == 1 and "default settings</bdi> and 2 other prompts: " in said
    assert "no network" in said and "The last ones of 60 failed runs" in said


def test_any_earlier_sweep_opens_its_board(settings, visitor, engine_is_there):
    swept(settings, "done", board={**BOARD, "cells": [cell("done", 16, 16, task="Earlier")]})
    swept(settings, "done")
    at = visitor(settings).open(STEM)
    assert "Earlier" not in words(at)
    picker = at.selectbox(key="sweep")
    picker.set_value(picker.options[0]).run()
    assert "Earlier" in words(at) and "STS14" in words(at)
    assert picker.options[0] in at.query_params["sweep"]


@pytest.mark.parametrize("there", [1, 2])
def test_address_of_a_sweep_that_is_gone_is_named(there, settings, visitor, engine_is_there):
    for _ in range(there):
        swept(settings, "done")
    at = visitor(settings).open(STEM, sweep="mine, long ago")
    assert "sweep=mine, long ago</bdi> is no choice here; showing" in words(at)


def test_sweep_from_a_terminal_appears_and_can_be_gone_on_with(settings, visitor, engine_is_there):
    folder = settings.results / "sweeps" / "mine"
    at = visitor(settings).open(STEM)
    with told(folder, make_study(STUDY), Shard()) as teller:
        teller.tell(from_json(BOARD, Board))
        at.run()
        assert "mine</bdi> has <b>8 of 16</b> runs" in words(at) and "from a terminal" in words(at)
        assert "stopped where it runs, with Ctrl+C" in words(at)
    at.run()
    (button,) = [button for button in at.button if str(button.key).startswith("retry-")]
    assert button.label == "Retry failed"
    button.click().run()
    (request,) = read_requests(settings)
    assert make_study(request.options["study"]) == make_study(STUDY)


def test_partial_sweep_names_the_model_that_limits_its_prompts(settings, visitor, engine_is_there):
    tree = write_tree(settings.data / "tree", prompts=PLAIN_PROMPTS, broken=False)
    for missing in tree.glob("results/acme__wide-embed/*/experiments/exp_*_00[234]"):
        shutil.rmtree(missing)
    add_source(settings, tree, "mine")
    build(settings)
    swept(settings, "cancelled")
    said = words(visitor(settings).open(STEM))
    limits = "wide-embed</bdi> limits the comparison: every model ran 4 prompts; without it they would share 10."
    assert limits in said


def test_study_file_fills_the_form(settings, visitor, engine_is_there):
    at = visitor(settings).open(STEM)
    study = make_study({**STUDY, "models": ["a/b@1f"], "prompts": ["demo"], "limit": 7, "seed": 3, "device": "cuda:1"})
    at.file_uploader(key="study-file").set_value(("mine.toml", study.file_text.encode(), "application/toml")).run()
    assert not at.exception
    at.button(key="start").click().run()
    (request,) = read_requests(settings)
    assert make_study(request.options["study"]) == study
    assert "--models a/b@1f" in at.code[-1].value and "--seed 3" in at.code[-1].value
    assert "a/b@1f" in at.query_params["models"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'models = ["a"]\ntasks = = 3', "line 2, column 9"),
        (b'models = ["a"]\ntasks = ["t", 3]', "`tasks[1]`"),
        (b'models = [{name = "a", trust_remote_code = true}]\ntasks = ["t"]', "engine sweep --study FILE"),
    ],
)
def test_bad_study_file_is_one_error_and_leaves_the_form(content, says, settings, visitor, engine_is_there):
    at = visitor(settings).open(STEM, **ADDRESS)
    at.file_uploader(key="study-file").set_value(("bad.toml", content, "application/toml")).run()
    assert says in words(at) and words(at).count('role="alert"') == 1
    assert at.multiselect(key="models").value == ["all-MiniLM-L6-v2"]


def test_cancel_leaves_a_mark_for_the_engine(settings, visitor, engine_is_there):
    request = swept(settings, "running")
    at = visitor(settings).open(STEM)
    at.button(key=f"cancel-{request.request_id}").click().run()
    assert list(settings.requests.glob(f"{request.request_id}*cancel*"))


def test_failed_runs_can_be_retried(settings, visitor, engine_is_there):
    request = swept(settings, "done", message="7 of 16 runs done")
    at = visitor(settings).open(STEM)
    assert "ended with <b>8 of 16</b> runs; 1 failed; 75" in words(at)
    at.button(key=f"retry-{request.request_id}").click().run()
    assert [each.options for each in read_requests(settings)] == [{"study": STUDY}] * 2


def test_whole_sweep_offers_no_retry(settings, visitor, engine_is_there):
    whole = {**BOARD, "done": 15, "failed": 0, "errors": [], "refused": [], "cells": [cell("done", 16, 16)]}
    request = swept(settings, "done", board=whole)
    at = visitor(settings).open(STEM)
    assert f"retry-{request.request_id}" not in {button.key for button in at.button}


def test_preview_shows_parts_apart_with_blanks(settings, visitor, engine_is_there):
    request = ask(settings, RequestKind.PREVIEW, {"study": STUDY})
    parts = [["template", "Instruct: "], ["prompt", "Find <it> "], ["template", "\nQ:"], ["text", "cats & dogs"]]
    write_answer(settings, request.request_id, {
        "runs": 12, "existing": 2, "notes": ["Scoring comes on top."], "refused": [],
        "models": [{"model_name": "org/a", "model_revision": "1", "runs": 12, "existing": 2, "texts": 9, "tokens": 99,
                    "seconds": 3.0}],
        "examples": [{"model_name": "org/a", "task_name": "STS14", "side": "none", "prompt_text": "Find <it> ",
                      "parts": parts}],
    })  # fmt: skip
    write_status(settings, request.request_id, Status(RequestState.DONE))
    said = words(visitor(settings).open(STEM, **ADDRESS))
    assert "10 runs to do, 2 there already, about 3 s of encoding" in said
    assert 'sl-part-prompt" title="prompt">Find &lt;it&gt;<span class="sl-blank">␣</span>' in said
    assert 'sl-part-template" title="template"><span class="sl-blank">↵</span><br>Q:' in said
    assert "cats &amp; dogs" in said


def test_preview_is_gone_once_the_study_was_swept(settings, visitor, engine_is_there):
    request = ask(settings, RequestKind.PREVIEW, {"study": STUDY})
    write_answer(settings, request.request_id, {"runs": 12, "existing": 2, "models": []})
    write_status(settings, request.request_id, Status(RequestState.DONE))
    swept(settings, "done")
    assert "runs to do" not in words(visitor(settings).open(STEM, **ADDRESS))


def test_without_an_engine_the_buttons_are_off_and_say_why(settings, visitor):
    at = visitor(settings).open(STEM, **ADDRESS)
    assert "No engine process serves this data folder" in words(at)
    assert at.button(key="start").disabled and at.button(key="preview").disabled


def test_set_that_is_gone_is_named(settings, visitor, engine_is_there):
    assert "No prompt set &#x27;old&#x27;" in words(visitor(settings).open(STEM, **ADDRESS, sets="old"))


def test_what_others_have_left_among_the_requests_is_said_and_breaks_nothing(settings, visitor, engine_is_there):
    for answer in ({"done": "many"}, {"cells": 3}):
        swept(settings, "done", answer)
    for number, options in enumerate(({"study": "x"}, {"study": {"name": 3, "limit": "many"}}, {"study": [3]})):
        request = ask(settings, RequestKind.SWEEP, options)
        write_status(settings, request.request_id, Status(RequestState.FAILED, message=f"No study {number}."))
    (settings.requests / "a-folder.json").mkdir()
    (settings.requests / "garbage.json").write_bytes(b"\xff{")
    preview = ask(settings, RequestKind.PREVIEW, {"study": STUDY})
    write_answer(settings, preview.request_id, {"runs": "many"})
    write_status(settings, preview.request_id, Status(RequestState.DONE))
    at = visitor(settings).open(STEM, **ADDRESS)
    assert not at.exception and "No study 2." in words(at)


def test_button_of_a_request_that_is_gone_says_so(settings, visitor, engine_is_there):
    request = swept(settings, "running")
    at = visitor(settings).open(STEM)
    (settings.requests / f"{request.request_id}.json").unlink()
    (button,) = [button for button in at.button if str(button.key).startswith("cancel-")]
    button.click().run()
    assert not at.exception and request.request_id in words(at) and "No request" in words(at)


def test_sweep_that_is_refused_leaves_what_the_running_one_of_its_name_has_told(settings):
    folder = settings.results / "sweeps" / "mine"
    with told(folder, make_study(STUDY), Shard()) as teller:
        teller.tell(from_json(BOARD, Board))
        with pytest.raises(Busy), told(folder, make_study(STUDY), Shard()):
            raise Busy("Another process holds the device.")
        assert read_standing(folder / "board.json").state is RequestState.RUNNING
