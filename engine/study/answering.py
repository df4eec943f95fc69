"""What a sweep, a preview and the small questions to a model do when a page asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from engine.errors import UsageError
from engine.inbox import RequestKind
from engine.progress import silent
from engine.reporting import Cancelled, Outcome, Reporter
from engine.settings import Settings
from engine.study.board import Board, to_json
from engine.study.file import Study, make_study
from engine.study.preview import preview_study
from engine.study.publishing import Publisher, ask_to_publish, expect_free_name
from engine.study.resolve import resolve, study_folder
from engine.study.run import StudyReport, devices_of, run_study
from engine.study.warm import WarmModels


def answer(settings: Settings, options: Mapping[str, Any], report: Reporter) -> Outcome:
    """What came of a request.

    Raises:
        EngineError: It could not be answered.
    """
    if report.request.kind is RequestKind.SWEEP:
        return _sweep(settings, asked_study(options), report)
    with ExitStack() as stack:
        models = report.models or stack.enter_context(WarmModels(settings))
        if report.request.kind is RequestKind.PREVIEW:
            return _preview(settings, asked_study(options), report, models)
        return _ask_models(settings, options, report, models)


def asked_study(options: Mapping[str, Any]) -> Study:
    """The study in a request.

    Raises:
        UsageError: It is none, or it asks for what only the command line may.
    """
    study = make_study(options.get("study") or {})
    if any(model.trust_remote_code for model in study.models):
        raise UsageError(
            "The study asks for code that comes with a model (trust_remote_code); a page cannot ask for that. "
            "Run it with `python -m engine sweep --study FILE` where the data lies."
        )
    return study


def _sweep(settings: Settings, study: Study, report: Reporter) -> Outcome:
    folder = study_folder(settings, study)
    expect_free_name(settings, study.source_name, folder)
    report("looking up models, tasks and prompts", 0, 0)
    resolved = resolve(settings, study)
    with Publisher(settings, study.source_name, folder) as publisher:

        def watch(board: Board) -> None:
            report.show(to_json(board))
            publisher.note(board.done)
            settled = board.done + board.existing + board.failed
            report("encoding and scoring", settled, board.total, board.seconds_left)

        try:
            swept = run_study(settings, resolved, devices_of(study.device), watch)
        except Cancelled:
            # What was finished by then is worth seeing.
            publisher.finish(silent)
            raise
        report.show(to_json(swept.board), at_once=True)
        built = publisher.finish(report)
    if not swept.board.done + swept.board.existing:
        raise UsageError(f"Nothing of the study could be run: {in_words(swept)}")
    return Outcome(in_words(swept), built.snapshot_id if built else None)


def in_words(swept: StudyReport) -> str:
    """How a sweep ended, in a sentence or two."""
    board = swept.board
    words = [f"{board.done} of {board.total} runs done, {board.existing} were there before."]
    if swept.faults:
        first = swept.faults[0]
        words.append(f"{board.failed} failed, such as {first.model_name} on {first.task_name}: {first.cause}")
    words += [f"Left out: {refusal.what} {refusal.name}: {refusal.reason}" for refusal in board.refused]
    return " ".join(words)


def _preview(settings: Settings, study: Study, report: Reporter, models: WarmModels) -> Outcome:
    report("looking up models, tasks and prompts", 0, 0)
    seen = preview_study(resolve(settings, study), models.encoder, report)
    report.show(to_json(seen), at_once=True)
    return Outcome(f"{seen.runs - seen.existing} of {seen.runs} runs to do")


def _ask_models(settings: Settings, options: Mapping[str, Any], report: Reporter, models: WarmModels) -> Outcome:
    """The answer stands before anything is built: a page shows it at once, and the snapshot follows."""
    if report.request.kind is RequestKind.TRIPLETS:
        from engine.triplets.run import run_triplets

        found = run_triplets(settings, options, report, models)
    else:
        from engine.triplets.tokenize import run_tokenize

        found = run_tokenize(settings, options, report, models)
    report.show(found, at_once=True)
    if options.get("set"):
        ask_to_publish(settings, report.request.request_id)
    if found["refused"] and not any(found.get(name) for name in ("n_measured", "n_held", "texts")):
        raise UsageError("; ".join(refusal["reason"] for refusal in found["refused"]))
    return Outcome("answered")
