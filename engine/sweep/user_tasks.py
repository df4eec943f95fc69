"""Tasks in files of one's own: a folder in BEIR's layout, or a table of pairs or labelled texts.

| file                                               | task                                                     |
|----------------------------------------------------|----------------------------------------------------------|
| folder with corpus.jsonl, queries.jsonl, qrels/*.tsv | Retrieval                                                |
| table with `text` and `label`                      | Classification; `split` = train or test, else drawn by seed |
| table with two texts and `label` 0 or 1            | PairClassification                                        |
| table with two texts and `score`                   | STS                                                       |
| table with two texts                               | BitextMining: each first text's translation is the second |

Two texts are `sentence1` and `sentence2`, `text1` and `text2`, or `query` and `positive`; else the first two columns.
Rows that cannot be used are set aside with their line and reason, and the rest goes on. A file `<name>.task.json`
beside it, or `task.json` in the folder, may say `languages` (codes such as `deu-Latn`; of bitext two), `description`
and `license`; without it the language counts as not stated.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import SourceError, TaskUnavailable
from engine.sweep.local_task import Labelled, LabelledText, LocalTask, Pair, Search, expect_spread
from engine.tabular import RowProblem, TextTable, read_table

PREFIX = "Own"
"""Begins the name of every task of one's own, which no task of mteb's does."""
NOT_STATED = "und-Zyyy"
SUBSET = "default"
PROBLEMS_SHOWN = 3
TRAINING_SHARE = 0.5
FEWEST_TRAINING = 2
PAIRS_OF_COLUMNS = (("sentence1", "sentence2"), ("text1", "text2"), ("query", "positive"))


@dataclass(frozen=True)
class UserTask:
    """A task in a file, and what of the file could not be used."""

    task: LocalTask
    problems: tuple[RowProblem, ...]
    notes: tuple[str, ...]
    """what was detected, in words"""

    @property
    def in_words(self) -> tuple[str, ...]:
        """What was detected, and how many rows were set aside, with the first ones."""
        if not self.problems:
            return self.notes
        first = " ".join(f"Line {each.line}: {each.reason}" for each in self.problems[:PROBLEMS_SHOWN])
        more = f"Rows set aside: {len(self.problems):,} (`python -m engine tasks check` names all). {first}"
        return (*self.notes, more)


def read_user_task(path: Path, seed: int = 0) -> UserTask:
    """The task in a file or folder.

    Args:
        path: The file, or a folder in BEIR's layout.
        seed: Draws training texts where the file does not say which they are.

    Raises:
        TaskUnavailable: It cannot be read, or no usable row is left.
    """
    try:
        about = _about(path)
        if path.is_dir():
            return _read_beir(path, about)
        found = _read_rows(path, read_table(path.read_bytes(), path.name), about, seed)
    except (OSError, SourceError) as error:
        raise TaskUnavailable(f"{path} cannot be read as a task: {error}") from error
    expect_spread(found.task)
    return found


def _about(path: Path) -> Mapping[str, Any]:
    beside = path / "task.json" if path.is_dir() else path.with_name(f"{path.stem}.task.json")
    if not beside.is_file():
        return {}
    try:
        about = json.loads(beside.read_text("utf-8"))
    except ValueError as error:
        raise SourceError(f"{beside.name} is no JSON ({error}); expected an object. Correct or remove it.") from error
    if not isinstance(about, dict) or not isinstance(about.get("languages", []), list):
        raise SourceError(f"{beside.name} holds {about!r}; expected an object with a list of languages.")
    return about


def _read_beir(folder: Path, about: Mapping[str, Any]) -> UserTask:
    judged = sorted((folder / "qrels").glob("*.tsv")) or sorted(folder.glob("qrels*.tsv"))
    missing = [name for name in ("corpus.jsonl", "queries.jsonl") if not (folder / name).is_file()]
    if missing or not judged:
        lacks = ", ".join(missing or ["qrels/test.tsv"])
        raise SourceError(f"{lacks} is missing; expected corpus.jsonl, queries.jsonl and qrels/test.tsv.")
    problems: list[RowProblem] = []
    documents = _by_id(folder / "corpus.jsonl", problems)
    queries = _by_id(folder / "queries.jsonl", problems)
    qrels = next((path for path in judged if path.stem == "test"), judged[0])
    relevant = _relevant(read_table(qrels.read_bytes(), qrels.name), queries, documents, problems)
    asked = {name: row.get("text", "") for name, row in queries.items() if name in relevant}
    unanswered = len(queries) - len(asked)
    notes = [f"{qrels.name} of {len(judged)} files of judgements"] if len(judged) > 1 else []
    notes += [f"{unanswered} queries without a relevant document are left out"] if unanswered else []
    if not asked:
        raise SourceError(f"no query has a relevant document in {qrels.name}; expected one at least.{_first(problems)}")
    content = Search(
        asked, {name: (row.get("title", ""), row.get("text", "")) for name, row in documents.items()}, relevant
    )
    return UserTask(_task(folder.name, "Retrieval", "ndcg_at_10", "t2t", content, about), tuple(problems), tuple(notes))


def _first(problems: Sequence[RowProblem]) -> str:
    return f" The first of {len(problems)} rows set aside: {problems[0].reason}" if problems else ""


def _by_id(path: Path, problems: list[RowProblem]) -> dict[str, Mapping[str, str]]:
    table = read_table(path.read_bytes(), path.name)
    problems += [RowProblem(each.line, each.column, f"{path.name}: {each.reason}") for each in table.problems]
    found: dict[str, Mapping[str, str]] = {}
    for line, row in zip(table.lines, table.rows, strict=True):
        name = row.get("_id", row.get("id"))
        if name is None or not row.get("text", "").strip():
            what = "no _id" if name is None else "an empty text"
            problems.append(RowProblem(line, "", f"{path.name}: {what}; expected _id and text. The row is left out."))
        elif name in found:
            problems.append(RowProblem(line, "_id", f"{path.name}: {name!r} again; the first one is kept."))
        else:
            found[name] = row
    return found


def _relevant(
    table: TextTable, queries: Mapping[str, Any], documents: Mapping[str, Any], problems: list[RowProblem]
) -> dict[str, dict[str, int]]:
    problems += table.problems
    columns = dict(zip(("query", "document", "score"), table.columns, strict=False))
    judged: dict[str, dict[str, int]] = {}
    for line, row in zip(table.lines, table.rows, strict=True):
        query, document = row.get(columns["query"], ""), row.get(columns.get("document", ""), "")
        grade = row.get(columns.get("score", ""), "1")
        unknown = [name for name, known in ((query, queries), (document, documents)) if name not in known]
        if unknown or not grade.strip().isdecimal():
            what = f"unknown id {unknown[0]!r}" if unknown else f"grade {grade!r}; expected a whole number"
            problems.append(RowProblem(line, "", f"judgements: {what}. The row is left out."))
        elif int(grade) > 0:
            judged.setdefault(query, {})[document] = int(grade)
    return judged


def _read_rows(path: Path, table: TextTable, about: Mapping[str, Any], seed: int) -> UserTask:
    notes: tuple[str, ...] = (f"read as {table.encoding}, {table.delimiter}",)
    problems = list(table.problems)
    lowered = {name.lower(): name for name in table.columns}
    if {"text", "label"} <= lowered.keys():
        notes += _unused(table, {lowered[name] for name in ("text", "label", "split") if name in lowered})
        content, more = _labelled(table, lowered, problems, seed)
        task = _task(path.stem, "Classification", "accuracy", "t2c", content, about)
        return UserTask(task, tuple(problems), (*notes, *more))
    first, second = _two_columns(table, lowered, path.name)
    third = next((lowered[name] for name in ("label", "score") if name in lowered), None)
    notes += _unused(table, {first, second, *([third] if third else [])})
    pairs = _pairs(table, first, second, third, problems)
    if not pairs:
        raise SourceError(f"no usable row in {path.name}; first reason: {problems[0].reason if problems else 'none'}")
    is_binary = third is not None and {pair.label for pair in pairs} <= {0.0, 1.0} and third.lower() == "label"
    if third is None:
        return UserTask(_task(path.stem, "BitextMining", "f1", "t2t", pairs, about), tuple(problems), notes)
    kind = ("PairClassification", "max_ap") if is_binary else ("STS", "cosine_spearman")
    return UserTask(_task(path.stem, *kind, "t2t", pairs, about), tuple(problems), notes)


def _unused(table: TextTable, used: set[str]) -> tuple[str, ...]:
    """Which columns are not used, so that a score under another name is not missed."""
    rest = [name for name in table.columns if name not in used]
    return (f"not used: the columns {', '.join(rest)}",) if rest else ()


def _two_columns(table: TextTable, lowered: Mapping[str, str], name: str) -> tuple[str, str]:
    for first, second in PAIRS_OF_COLUMNS:
        if first in lowered and second in lowered:
            return lowered[first], lowered[second]
    texts = [column for column in table.columns if column.lower() not in ("id", "label", "score", "split")]
    if len(texts) < 2:
        raise SourceError(
            f"{name} has the columns {', '.join(table.columns)}; expected text and label, or two texts such as "
            "sentence1 and sentence2."
        )
    return texts[0], texts[1]


def _pairs(table: TextTable, first: str, second: str, third: str | None, problems: list[RowProblem]) -> list[Pair]:
    pairs = []
    for line, row in zip(table.lines, table.rows, strict=True):
        texts = (row.get(first, ""), row.get(second, ""))
        value = 1.0 if third is None else _number(row.get(third, ""))
        if not all(text.strip() for text in texts):
            problems.append(RowProblem(line, "", "an empty text; expected two. The row is left out."))
        elif value is None:
            seen = row.get(str(third), "")
            problems.append(RowProblem(line, str(third), f"{seen!r}; expected a number. The row is left out."))
        else:
            pairs.append(Pair(*texts, label=value))
    return pairs


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _labelled(
    table: TextTable, lowered: Mapping[str, str], problems: list[RowProblem], seed: int
) -> tuple[Labelled, tuple[str, ...]]:
    rows = []
    for line, row in zip(table.lines, table.rows, strict=True):
        text, label = row.get(lowered["text"], ""), row.get(lowered["label"], "")
        if text.strip() and label.strip():
            rows.append((text, label, row.get(lowered.get("split", ""), "")))
        else:
            problems.append(RowProblem(line, "", "an empty text or label. The row is left out."))
    names = sorted({label for _, label, _ in rows})
    numbers = {label: number for number, label in enumerate(names)}
    said = {split for *_, split in rows}
    notes: tuple[str, ...] = (f"labels: {', '.join(names)}",)
    if not {"train", "test"} <= said:
        rows, notes = _drawn(rows, seed), (*notes, f"half of each label's texts are for training, drawn by seed {seed}")
    train = [LabelledText(text, numbers[label]) for text, label, split in rows if split == "train"]
    test = [LabelledText(text, numbers[label]) for text, label, split in rows if split == "test"]
    counted = Counter(text.label for text in train)
    if len(names) < 2 or min((counted[number] for number in numbers.values()), default=0) < FEWEST_TRAINING or not test:
        raise SourceError(
            f"{len(rows)} usable texts under {len(names)} labels; expected two labels or more, each with "
            f"{FEWEST_TRAINING} texts to train on and some to test. Add texts."
        )
    return Labelled(train, test), notes


def _drawn(rows: Sequence[tuple[str, str, str]], seed: int) -> list[tuple[str, str, str]]:
    generator = random.Random(seed)
    by_label: dict[str, list[tuple[str, str, str]]] = {}
    for row in rows:
        by_label.setdefault(row[1], []).append(row)
    drawn = []
    for label in sorted(by_label):
        texts = by_label[label]
        most = max(FEWEST_TRAINING, int(len(texts) * TRAINING_SHARE))
        chosen = set(generator.sample(range(len(texts)), min(most, len(texts))))
        drawn += [(text, name, "train" if at in chosen else "test") for at, (text, name, _) in enumerate(texts)]
    return drawn


def _task(
    stem: str, task_type: str, main_score: str, category: str, content: Any, about: Mapping[str, Any]
) -> LocalTask:
    cleaned = "".join(part[:1].upper() + part[1:] for part in "".join(c if c.isalnum() else " " for c in stem).split())
    return LocalTask(
        name=f"{PREFIX}{cleaned or 'Task'}{task_type}",
        task_type=task_type,
        main_score=main_score,
        category=category,
        description=str(about.get("description") or f"Texts of one's own, from {stem}."),
        languages={SUBSET: tuple(about.get("languages") or [NOT_STATED])},
        content={SUBSET: content},
        domains=("Written",),
        sample_creation="created",
        annotations_creators=None,
        license=str(about.get("license") or "not specified"),
        reference=None,
    )
