"""What a study would do, before it does it: runs, texts, tokens, time, and real texts as they would be encoded.

Tokens and time come from a sample of the very strings that would be encoded, drawn by the study's seed and timed on
the device at hand; scoring is not in the time, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic

import numpy as np

from engine.errors import cause_in_one_line
from engine.progress import Progress, silent
from engine.study.board import Example, ModelPreview, PreviewAnswer, Refusal
from engine.study.resolve import Resolved
from engine.sweep.encoders import Encoder
from engine.sweep.libraries import prepare_libraries
from engine.sweep.plan import PlannedRun, SweepModel, TextsBySide

COUNTED = 2_000
"""Strings of which tokens are counted; the others are taken to be like them, by length."""
TIMED_SECONDS = 2.0
"""How long a model is timed, at most."""
AT_ONCE = 16
EXAMPLE_TEXTS = 3
EXAMPLE_SETTINGS = 2
"""Default settings and the first prompt that has any text."""
PROMPT_CHARACTERS = 60
EXAMPLE_CHARACTERS = 2_000
MOST_EXAMPLES = 360

EncoderOf = Callable[[SweepModel], Encoder]


@dataclass(frozen=True)
class Sample:
    """What a sample of strings says about all."""

    tokens: int
    seconds: float


def preview_study(resolved: Resolved, encoder_of: EncoderOf, progress: Progress = silent) -> PreviewAnswer:
    """What a study would do here.

    Args:
        resolved: What to look at.
        encoder_of: Loads a model.
        progress: Told about each task and model.
    """
    plan, refused = resolved.plan, list(resolved.refused)
    texts = _texts_of_tasks(plan.runs, refused, progress)
    models, crowded = [], list[str]()
    by_model: dict[str, list[PlannedRun]] = {}
    for run in plan.runs:
        by_model.setdefault(run.model.name, []).append(run)
    for place, (name, runs) in enumerate(by_model.items()):
        progress(f"timing {name}", place, len(by_model))
        missing = [run for run in runs if not run.exists]
        strings = list(dict.fromkeys(string for run in missing for string in run.strings(texts.get(run.task.name, {}))))
        sample = _sample(runs[0].model, strings, encoder_of, resolved.study.seed, refused)
        crowded += _crowding_prompts(encoder_of(runs[0].model), missing, texts) if sample and missing else []
        models.append(
            ModelPreview(
                model_name=name,
                model_revision=runs[0].model.revision,
                runs=len(runs),
                existing=len(runs) - len(missing),
                texts=len(strings),
                tokens=sample.tokens if sample else None,
                seconds=sample.seconds if sample else None,
            )
        )
    return PreviewAnswer(
        runs=len(plan.runs),
        existing=plan.n_existing,
        models=tuple(models),
        refused=tuple(refused),
        examples=tuple(islice(_examples(plan.runs, texts), MOST_EXAMPLES)),
        notes=(*_notes(resolved), *crowded),
    )


def _texts_of_tasks(runs: Sequence[PlannedRun], refused: list[Refusal], progress: Progress) -> dict[str, TextsBySide]:
    """The texts of each task that can be had."""
    prepare_libraries()
    from engine.sweep.scoring import texts_of

    texts: dict[str, TextsBySide] = {}
    tasks = {run.task.name: run.task for run in runs}
    for place, (name, task) in enumerate(tasks.items()):
        progress(f"reading {name}", place, len(tasks))
        try:
            texts[name] = texts_of(task.build())
        except Exception as error:
            # Loaders of outside data raise whatever they like; each costs its own task alone.
            refused.append(Refusal("task", name, cause_in_one_line(error)))
    return texts


def _sample(
    model: SweepModel, strings: Sequence[str], encoder_of: EncoderOf, seed: int, refused: list[Refusal]
) -> Sample | None:
    """Tokens and seconds of all strings, by a sample; None where the model cannot be had, or fails on it."""
    try:
        return _time(encoder_of(model), strings, seed) if strings else Sample(0, 0.0)
    except Exception as error:
        # The same: a model that cannot be loaded costs its own estimate.
        refused.append(Refusal("model", model.name, cause_in_one_line(error)))
        return None


def _crowding_prompts(encoder: Encoder, runs: Sequence[PlannedRun], texts: Mapping[str, TextsBySide]) -> list[str]:
    """Which prompts fill all that a model reads at once: it sees nothing of any text behind them."""
    notes: dict[str, None] = {}
    for run in runs:
        for side, prefix in run.setting.prefixes.items():
            longest = max(texts.get(run.task.name, {}).get(side, ()), key=len, default="")
            alone, whole = encoder.count_tokens([prefix.before(""), prefix.before(longest)])
            if longest.strip() and alone == whole:
                begin = repr(prefix.before("")[:PROMPT_CHARACTERS])
                notes[
                    f"{run.model.name} reads {alone:,} tokens at most, and the prompt that begins with {begin} fills "
                    f"them: it sees nothing of the texts of {run.task.name}, and the score says nothing."
                ] = None
    return list(notes)


def _time(encoder: Encoder, strings: Sequence[str], seed: int) -> Sample:
    chosen = np.random.default_rng(seed).permutation(len(strings))[:COUNTED]
    some = [strings[at] for at in chosen]
    counts = encoder.count_tokens(some)
    tokens = round(sum(counts) * sum(map(len, strings)) / max(1, sum(map(len, some))))
    encoder.encode(some[:1])
    begun, done, timed = monotonic(), 0, 0
    while done < len(some) and (not done or monotonic() - begun < TIMED_SECONDS):
        encoder.encode(some[done : done + AT_ONCE])
        timed += sum(counts[done : done + AT_ONCE])
        done += AT_ONCE
    return Sample(tokens, tokens * (monotonic() - begun) / max(1, timed))


def _examples(runs: Sequence[PlannedRun], texts: Mapping[str, TextsBySide]) -> Iterator[Example]:
    """Real texts for each side, for each model and kind of task, under its first settings."""
    shown: dict[tuple[str, str], tuple[str, int]] = {}
    for run in runs:
        if run.task.name not in texts:
            continue
        if run.prompt_text == "":
            continue
        task, settings = shown.get((run.model.name, run.task.task_type), (run.task.name, 0))
        if task != run.task.name or settings >= EXAMPLE_SETTINGS:
            continue
        shown[run.model.name, run.task.task_type] = task, settings + 1
        for side, prefix in run.setting.prefixes.items():
            for text in texts[run.task.name].get(side, ())[:EXAMPLE_TEXTS]:
                parts = tuple((part.kind, _cut(part.string)) for part in prefix.parts(text))
                yield Example(run.model.name, run.task.name, str(side), run.prompt_text, parts)


def _cut(string: str) -> str:
    return string if len(string) <= EXAMPLE_CHARACTERS else f"{string[:EXAMPLE_CHARACTERS]}…"


def _notes(resolved: Resolved) -> tuple[str, ...]:
    notes = ["Time is for encoding, at the pace of a timed sample with nothing else running; scoring comes on top."]
    if resolved.study.limit is not None:
        notes.append(f"At most {resolved.study.limit} texts or queries a row: these are not scores of the whole tasks.")
    notes += [f"{task.name}: {note}" for task in resolved.tasks.values() for note in task.notes]
    surprises = {
        f"{run.model.name}: the prompt {run.prompt_text!r} {prefix.note}."
        for run in resolved.plan.runs
        for prefix in run.setting.prefixes.values()
        if prefix.note
    }
    return (*notes, *sorted(surprises))
