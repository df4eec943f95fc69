"""The command `engine sweep`: runs models × tasks × prompts, from a study file or from names, and publishes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from engine.commands.terminal import duration, progress_bar, say
from engine.errors import EngineError, UsageError, cause_of
from engine.settings import Settings, from_environment
from engine.signals import ended_by_signals
from engine.study.board import Board, Example, Fault, PreviewAnswer, Refusal
from engine.study.file import SEED, Study, make_study, read_study

if TYPE_CHECKING:
    from engine.progress import Progress
    from engine.study.publishing import Publisher
    from engine.study.resolve import Resolved
    from engine.study.run import StudyReport
    from engine.study.shards import Shard

PARTIAL = 8
"""Exit code when some runs failed or some entries could not be had; the others are there."""
STOPPED = 130
"""Exit code after Ctrl-C or SIGTERM."""
FAULTS_SHOWN = 20
NAMES_SHOWN = 3

_Names = list[str] | None
_STUDY = typer.Option("--study", help="A study file (TOML); options given beside it win over what it says.")
_MODELS = typer.Option("--models", help="Names that mteb, a hub or the demo knows, or folders; repeat it for more.")
_TASKS = typer.Option("--tasks", help="Names that mteb or the demo knows, or files and folders of your own.")
_PROMPTS = typer.Option("--prompts", help="Prompt sets by name, or prompt files.")
_DEVICE = typer.Option("--device", help="auto, cpu, cuda, cuda:1, or all for one process per GPU.")
_DTYPE = typer.Option("--dtype", help="auto (bfloat16 on a GPU), float32, bfloat16 or float16.")


def sweep(
    study: Annotated[Path | None, _STUDY] = None,
    models: Annotated[_Names, _MODELS] = None,
    tasks: Annotated[_Names, _TASKS] = None,
    prompts: Annotated[_Names, _PROMPTS] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the sweep and of its source.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="At most so many texts or queries a row.")] = None,
    device: Annotated[str | None, _DEVICE] = None,
    dtype: Annotated[str | None, _DTYPE] = None,
    seed: Annotated[int | None, typer.Option("--seed", help=f"Seed of what is drawn; {SEED} unless given.")] = None,
    shard: Annotated[str, typer.Option("--shard", help="Part i/n of the plan, cut alike on every machine.")] = "1/1",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    relock: Annotated[bool, typer.Option("--relock", help="Lock the study as its names resolve now.")] = False,
) -> None:
    """Run models on tasks under prompts, each text encoded once, and publish. Resumes: only what is missing is done.

    The name demo stands for all bundled models, all of the demo's tasks, or its prompts.
    Exit code 0: every run is there. 8: some are not, or were not published; each cause is named; a dry run says so
    beforehand. 130: it was stopped.
    Any other: nothing was begun.
    """
    from engine.study.publishing import expect_free_name
    from engine.study.resolve import study_folder
    from engine.study.shards import parse_shard

    lists = {"models": models, "tasks": tasks, "prompts": prompts}
    single = {"name": name, "limit": limit, "device": device, "dtype": dtype, "seed": seed}
    settings, part, asked = from_environment(), parse_shard(shard), _asked_study(study, lists, single)
    expect_free_name(settings, asked.source_name, study_folder(settings, asked))
    is_stopped = True
    with ended_by_signals():
        resolved = _resolve(settings, asked, part, study, relock=relock, dry_run=dry_run)
        if dry_run:
            _show_preview(settings, resolved)
        else:
            _run(settings, resolved, part)
        is_stopped = False
    if is_stopped:
        say("Stopped. Every run that was done is kept; the same command goes on from there.")
        raise typer.Exit(STOPPED)


def _asked_study(file: Path | None, lists: Mapping[str, Sequence[str] | None], single: Mapping[str, Any]) -> Study:
    """The study of a file and of options; options win."""
    given = {key: value for key, value in single.items() if value is not None}
    given.update({key: [each for text in texts for each in text.split(",")] for key, texts in lists.items() if texts})
    if file is None:
        if "models" not in given or "tasks" not in given:
            raise UsageError("Neither a study nor models and tasks were named; expected --study FILE, or both others.")
        return make_study({"name": "sweep", **given})
    return make_study({**msgspec.to_builtins(read_study(file)), **given})


def _resolve(
    settings: Settings, study: Study, part: Shard, file: Path | None, *, relock: bool, dry_run: bool
) -> Resolved:
    """What can run, after saying what cannot; a study from a file is held to its lock."""
    from engine.study.pins import keep_pins, lock_path, read_pins
    from engine.study.resolve import resolve

    pins = read_pins(lock_path(file)).models if file and not relock else {}
    resolved = resolve(settings, study, part, pins)
    for refusal in resolved.refused:
        say(_refusal(refusal))
    if not dry_run:  # a preview says the same among its notes
        for name, task in resolved.tasks.items():
            for note in task.notes:
                say(f"{name}: {note}")
    if file and not dry_run:
        for line in keep_pins(lock_path(file), resolved, relock=relock):
            say(line)
    return resolved


def _refusal(refusal: Refusal) -> str:
    name = "" if refusal.reason.startswith(refusal.name) else f"{refusal.name}: "
    return f"Left out: {refusal.what} {name}{refusal.reason}"


def _show_preview(settings: Settings, resolved: Resolved) -> None:
    from engine.study.preview import preview_study
    from engine.study.warm import WarmModels

    with WarmModels(settings, device=resolved.study.device) as models, progress_bar() as progress:
        seen = preview_study(resolved, models.encoder, progress)
    for refusal in seen.refused[len(resolved.refused) :]:
        say(_refusal(refusal))
    _say_preview(seen)
    if seen.refused:
        raise typer.Exit(PARTIAL)


def _say_preview(seen: PreviewAnswer) -> None:
    say(f"{seen.runs:,} runs, {seen.existing:,} of them there already.")
    for model in seen.models:
        cost = (
            f"{model.tokens:,} tokens, about {duration(model.seconds)}" if model.seconds is not None else "no estimate"
        )
        todo = f"{model.runs - model.existing:,} runs to do, {model.texts:,} texts, {cost}"
        say(f"{model.model_name} {model.model_revision}: {todo}")
    for example in seen.examples:
        say(f"{example.model_name} · {example.task_name} · {example.side} · {_example(example)}")
    for note in seen.notes:
        say(note)


def _example(example: Example) -> str:
    """The parts of a text as it is encoded, each in its own brackets: ⟦prompt⟧, ⟨template⟩, the text as it is."""
    brackets = {"prompt": "⟦{}⟧", "template": "⟨{}⟩"}
    return "".join(brackets.get(kind, "{}").format(string) for kind, string in example.parts)


def _run(settings: Settings, resolved: Resolved, part: Shard) -> None:
    from engine.study.publishing import Publisher
    from engine.study.run import devices_of, run_study
    from engine.study.standing import told

    study, folder = resolved.study, resolved.plan.folder
    with (
        told(folder, study, part) as teller,
        Publisher(settings, study.source_name, folder) as publisher,
        progress_bar() as progress,
    ):

        def watch(board: Board) -> None:
            teller.tell(board)
            settled = board.done + board.existing + board.failed
            pace = f", {board.texts_per_second:,.0f} texts/s" if board.texts_per_second else ""
            progress(
                f"encoding and scoring on {', '.join(board.devices)}{pace}", settled, board.total, board.seconds_left
            )
            publisher.note(board.done)

        swept = run_study(settings, resolved, devices_of(study.device), watch, part)
        _report(swept, folder)
        is_published = _publish(publisher, study.source_name, folder, progress)
    if swept.is_partial or not is_published:
        raise typer.Exit(PARTIAL)


def _publish(publisher: Publisher, name: str, folder: Path, progress: Progress) -> bool:
    """Build; False where that failed: the results are files all the same."""
    try:
        built = publisher.finish(progress)
    except (EngineError, OSError) as error:
        cause = cause_of(error).rstrip(".")
        say(f"Not published: {cause}. The results are in {folder}; the same command publishes them once it can.")
        return False
    say(f"{name} is in snapshot {built.snapshot_id}." if built else f"Nothing was published; results: {folder}")
    return True


def _report(swept: StudyReport, folder: Path) -> None:
    board = swept.board
    reused = board.texts - board.texts_encoded
    say(
        f"{board.done:,} of {board.total:,} runs done in {duration(swept.seconds)}, {board.existing:,} were there, "
        f"{board.failed:,} failed. {board.texts:,} texts asked for, {reused:,} of them not encoded again. "
        f"Results: {folder}"
    )
    for note in board.notes:
        say(note)
    lines = _fault_lines(swept.faults)
    for line in lines[:FAULTS_SHOWN]:
        say(line)
    if len(lines) > FAULTS_SHOWN:
        say(f"{len(lines) - FAULTS_SHOWN} further causes; run it again to retry all that failed.")


def _fault_lines(faults: Sequence[Fault]) -> list[str]:
    """One line a cause: a model that cannot be loaded, or data that cannot be had, costs many runs alike."""
    by_cause: dict[str, list[Fault]] = {}
    for fault in faults:
        by_cause.setdefault(fault.cause, []).append(fault)
    return [f"Failed: {_where(alike)}: {cause}" for cause, alike in by_cause.items()]


def _where(faults: Sequence[Fault]) -> str:
    if len(faults) > 1:
        models = _some([fault.model_name for fault in faults])
        return f"{models} on {_some([fault.task_name for fault in faults])}, {len(faults):,} runs"
    prompt = "default settings" if faults[0].prompt_text is None else repr(faults[0].prompt_text)
    return f"{faults[0].model_name} on {faults[0].task_name} with {prompt}"


def _some(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - NAMES_SHOWN
    return ", ".join(distinct[:NAMES_SHOWN]) + (f" and {more:,} others" if more > 0 else "")
