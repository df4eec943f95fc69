"""Scores of single items beside a run: what its main score can be recomputed from, and how the file is written.

One gzip-compressed JSON Lines file a run, `<Task>.items.jsonl.gz`: its first line says which task and main score,
each other line is one item. mteb's cache takes every `*.json` for a result and lets this one be. Compression makes it
a fifth, since ids and splits repeat.

| kind          | fields beside `split` and `subset`                                                                |
|---------------|---------------------------------------------------------------------------------------------------|
| `query`       | `id`, `ndcg_at_10`, `recall_at_10`, `mrr_at_10`, `main`, `top` (`id` and `similarity` of ten)       |
| `pair`        | `position`, `gold`, and one similarity or distance by each of mteb's names                          |
| `sentence`    | `position`, `gold`, `found` (position of the nearest), `similarity`                                 |
| `text`        | `position`, `true`, `predicted` (one an experiment; of several labels a text, lists), maybe `fold`  |
| `clustering`  | `level`, `position`, `true`, `predicted` (of each run, the cluster at each time it drew the text)   |
| `cluster_set` | `set`, `true`, `predicted` (null = one label only, not clustered, scored 1)                         |
| `summaries`   | `position`, `gold` (one a summary), and similarities by each of mteb's names                        |
| `prediction`  | `predictions` as mteb gives them, and `reason`: no form for the type, or what did not fit            |

`main` of a query is its part of the task's main score; null where that is no mean over queries (p-MRR, robustness).
Items of a task that is made of others say in `task` which one they are of. Similarities have as many digits as tell
32-bit numbers apart. Ingest may read this module: it imports nothing heavy.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from engine.errors import SourceError

SUFFIX = ".items.jsonl.gz"


@dataclass(frozen=True)
class Items:
    """The items of a run.

    Attributes:
        task_name: Task.
        task_type: Its type.
        main_score: Name of the metric that the task is judged by.
        by_kind: One frame a kind, with the fields of the module's table as columns.
    """

    task_name: str
    task_type: str
    main_score: str
    by_kind: Mapping[str, pl.DataFrame]


def items_path(result: Path) -> Path:
    """Where the items of a result lie: beside it."""
    return result.with_name(f"{result.stem}{SUFFIX}")


def encode_items(head: Mapping[str, str], items: Iterable[Mapping[str, Any]]) -> bytes:
    """The bytes of a file: the same items give the same bytes."""
    lines = msgspec.json.Encoder(enc_hook=_plain).encode_lines([head, *items])
    return gzip.compress(lines, compresslevel=6, mtime=0)


def _plain(value: Any) -> Any:
    """A number or array of numpy's as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in an item; expected texts, numbers, lists and mappings.")


def read_items(path: Path) -> Items:
    """The items in a file.

    Raises:
        SourceError: The file is not whole, or is another kind of file.
    """
    try:
        head, *lines = msgspec.json.Decoder().decode_lines(gzip.decompress(path.read_bytes()))
        kinds = list(dict.fromkeys(line["kind"] for line in lines))
        by_kind = {kind: pl.DataFrame([_fields(line) for line in lines if line["kind"] == kind],
                                      infer_schema_length=None) for kind in kinds}  # fmt: skip
        return Items(head["task_name"], head["task_type"], head["main_score"], by_kind)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise SourceError(
            f"{path} holds no item scores ({error}); expected gzip-compressed JSON Lines. "
            "Delete it and its result, and run the sweep again."
        ) from error


def _fields(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != "kind"}
