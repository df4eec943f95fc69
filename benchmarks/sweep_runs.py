"""The two ways that `sweep.py` measures, each in a process of its own: mteb once per prompt, and the engine."""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from engine.sweep.libraries import prepare_libraries

prepare_libraries()

from engine.demo.models import E5, MINILM, bundled_models  # noqa: E402
from engine.demo.tasks import django_bitext, home_pairs  # noqa: E402
from engine.schema import PromptKind, PromptType  # noqa: E402
from engine.settings import from_environment  # noqa: E402
from engine.sweep.encoders import Compute, Encoder  # noqa: E402
from engine.sweep.local_task import LocalTask, Search  # noqa: E402
from engine.sweep.plan import Plan, SweepModel, plan_sweep  # noqa: E402
from engine.sweep.prompting import Prompt, default_setting  # noqa: E402
from engine.sweep.record import read_record, record_path  # noqa: E402
from engine.sweep.runner import run_sweep  # noqa: E402
from engine.sweep.scoring import texts_of  # noqa: E402
from engine.sweep.vectors import VectorFile  # noqa: E402

NAMES = {"minilm": MINILM, "e5": E5}
QUERIES, DOCUMENTS = 20, 200
MODULES = (
    *("argparse", "ast", "asyncio", "calendar", "collections", "concurrent.futures", "configparser", "contextlib"),
    *("csv", "datetime", "decimal", "difflib", "email.message", "fractions", "functools", "gettext", "heapq", "html"),
    *("imaplib", "inspect", "itertools", "logging", "mailbox", "os", "pathlib", "pickle", "random", "sched", "shutil"),
    *("smtplib", "statistics", "string", "subprocess", "tarfile", "tempfile", "textwrap", "threading", "zipfile"),
)
DOCUMENT_CHARACTERS = (120, 400)
PROMPTS = (
    "query: ",
    "question: ",
    "search query: ",
    "Find: ",
    "Represent this sentence: ",
    "Represent this text for searching relevant passages: ",
    "Given a question, retrieve passages that answer it: ",
    "Which passage means the same? ",
    "Text: ",
    "TEXT: ",
    "Meaning: ",
    "Instruct: Find texts of the same meaning.\nQuery: ",
    "Please look for what this is about: ",
    "banana banana banana: ",
    "",
)


def docstrings() -> LocalTask:
    """Retrieval in a corpus ten times its queries: first lines of docstrings, and what follows them."""
    found = dict(_summaries())
    names = sorted(found)[:: max(1, len(found) // DOCUMENTS)][:DOCUMENTS]
    if len(names) < DOCUMENTS:
        raise SystemExit(f"This Python has {len(names)} docstrings of use, expected {DOCUMENTS}. Add modules.")
    asked = names[:: DOCUMENTS // QUERIES]
    search = Search(
        queries={f"q-{name}": found[name][0] for name in asked},
        documents={name: ("", found[name][1]) for name in names},
        relevant={f"q-{name}": [name] for name in asked},
    )
    return LocalTask(
        name="DocstringRetrieval",
        task_type="Retrieval",
        main_score="ndcg_at_10",
        category="t2t",
        description="Find the docstring that a first line was cut from.",
        languages={"default": ("eng-Latn",)},
        content={"default": search},
        domains=("Programming",),
        sample_creation="found",
        annotations_creators=None,
        license="not specified",
        reference=None,
    )


def _summaries() -> Iterator[tuple[str, tuple[str, str]]]:
    """First line and rest of each docstring of the modules, by name, each rest once."""
    seen = set()
    for module in map(importlib.import_module, MODULES):
        members = [*vars(module).items(), *(pair for each in vars(module).values() for pair in _methods(each))]
        for name, member in members:
            text = inspect.getdoc(member) if callable(member) and not name.startswith("_") else None
            summary, _, rest = (text or "").partition("\n\n")
            low, high = DOCUMENT_CHARACTERS
            if len(rest) >= low and len(summary) > 15 and rest not in seen:
                seen.add(rest)
                yield f"{module.__name__}.{getattr(member, '__qualname__', name)}", (summary, rest[:high])


def _methods(member: Any) -> list[tuple[str, Any]]:
    return list(vars(member).items()) if inspect.isclass(member) else []


def _task(name: str) -> LocalTask:
    return {"docstrings": docstrings, "pairs": home_pairs, "bitext": django_bitext}[name]()


def _model(name: str) -> SweepModel:
    return next(model for model in bundled_models(from_environment(), quick=False) if model.name == NAMES[name])


def _prompts(task: LocalTask, n_prompts: int) -> list[Prompt]:
    side = PromptType.QUERY if task.task_type == "Retrieval" else PromptType.NONE
    return [
        Prompt(task_name=task.name, prompt_type=side, text=text, kind=PromptKind.INSTRUCTION)
        for text in PROMPTS[:n_prompts]
    ]


def _warmed(task: LocalTask, threads: int) -> None:
    """Import and warm what both ways need, so that the clock sees the work alone."""
    import torch

    torch.set_num_threads(threads)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    texts_of(task.build())


class _TimedEncoder:
    """An encoder, and the seconds spent inside: cutting texts into tokens is part of encoding, here as there."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.identity, self.device = encoder.identity, encoder.device
        self.seconds = 0.0

    def count_tokens(self, strings: Sequence[str]) -> list[int]:
        """Tokens of each string."""
        return self._timed(self._encoder.count_tokens, strings)

    def encode(self, strings: Sequence[str]) -> Any:
        """One row per string."""
        return self._timed(self._encoder.encode, strings)

    def _timed(self, work: Callable[[Sequence[str]], Any], strings: Sequence[str]) -> Any:
        begun = perf_counter()
        made = work(strings)
        self.seconds += perf_counter() - begun
        return made


def measure_engine(folder: Path, model_name: str, task_name: str, n_prompts: int, threads: int) -> dict[str, Any]:
    """Seconds, tokens and scores of a sweep into an empty folder."""
    task = _task(task_name)
    _warmed(task, threads)
    model = _model(model_name)
    encoder = _TimedEncoder(model.load(Compute()))
    encoder.encode(["warm"])
    encoder.seconds = 0.0
    begun, busy = perf_counter(), process_time()
    plan = plan_sweep(
        folder / "sweep",
        [replace(model, load=lambda _: encoder)],
        [task.sweep_task()],
        _prompts(task, n_prompts),
    )
    with VectorFile(folder / "vectors.sqlite") as vectors:
        report = run_sweep(plan, vectors, lambda _: None)
    seconds, cpu_seconds = perf_counter() - begun, process_time() - busy
    if report.failed:
        raise SystemExit(f"A run failed: {report.failed[0].cause}")
    tokens = sum(read_record(record_path(run.result)).tokens for run in plan.runs)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "encode_seconds": encoder.seconds,
        "tokens": tokens,
        "scores": _written(plan),
    }


def _written(plan: Plan) -> dict[str, float]:
    """Main scores by setting and subset, as the result files have them."""
    return {
        f"{run.prompt_text!r} {row['hf_subset']}": row["main_score"]
        for run in plan.runs
        for rows in json.loads(run.result.read_text("utf-8"))["scores"].values()
        for row in rows
    }


def measure_loop(model_name: str, task_name: str, n_prompts: int, threads: int) -> dict[str, Any]:
    """Seconds, tokens and scores of mteb evaluating the model once per prompt."""
    import mteb
    from mteb.models.model_meta import ModelMeta
    from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

    task = _task(task_name)
    _warmed(task, threads)
    model = _model(model_name)
    loaded = model.load(Compute())
    heard = _Heard(loaded._model)  # type: ignore[attr-defined]
    wrapper = SentenceTransformerEncoderWrapper(heard.model)
    wrapper.mteb_model_meta = ModelMeta.create_empty()
    heard.model.encode(["warm"])
    heard.seconds, heard.strings = 0.0, []
    scores: dict[str, float] = {}
    begun, busy = perf_counter(), process_time()
    for prompt in (None, *(each.text for each in _prompts(task, n_prompts))):
        wrapper.model_prompts = heard.model.prompts = _prompts_of_model(model, task, prompt)
        evaluated = mteb.evaluate(wrapper, task.build(), cache=None, co2_tracker=False, show_progress_bar=False)
        rows = [row for rows in evaluated.task_results[0].scores.values() for row in rows]
        scores.update({f"{prompt!r} {row['hf_subset']}": row["main_score"] for row in rows})
    seconds, cpu_seconds = perf_counter() - begun, process_time() - busy
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "encode_seconds": heard.seconds,
        "tokens": sum(loaded.count_tokens(heard.strings)),
        "distinct_tokens": sum(loaded.count_tokens(list(dict.fromkeys(heard.strings)))),
        "scores": scores,
    }


def _prompts_of_model(model: SweepModel, task: LocalTask, prompt: str | None) -> dict[str, str]:
    """What is set on the model for a run: the prompt on its side, the model's own prefix on documents."""
    usual = {
        side: prefix.text or "" for side, prefix in default_setting(model.style, task.sweep_task()).prefixes.items()
    }
    if PromptType.NONE in usual:
        return {} if prompt is None else {task.name: prompt}
    query = usual[PromptType.QUERY] if prompt is None else prompt
    return {f"{task.name}-query": query, f"{task.name}-document": usual[PromptType.DOCUMENT]}


class _Heard:
    """A sentence-transformers model whose `encode` is timed, and whose strings are written down."""

    def __init__(self, model: Any) -> None:
        self.model, self.seconds, self.strings = model, 0.0, list[str]()
        self._encode = model.encode
        model.encode = self._listen

    def _listen(self, inputs: Any, prompt_name: str | None = None, prompt: str | None = None, **more: Any) -> Any:
        before = prompt if prompt is not None else self.model.prompts.get(prompt_name, "")
        begun = perf_counter()
        rows = self._encode(inputs, prompt_name=prompt_name, prompt=prompt, **more)
        self.seconds += perf_counter() - begun
        self.strings += [before + text for text in ([inputs] if isinstance(inputs, str) else inputs)]
        return rows
