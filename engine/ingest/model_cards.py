"""MODELS rows from metadata as mteb writes it: of its registry (in the child process) or of `model_meta.json` files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from engine.ingest.json_tokens import decode_with_nan
from engine.schema import MODELS, PromptScheme

_CARD = msgspec.json.Decoder(dict[str, Any])
_TEMPLATED = ("instruction_template", "prompts_dict", "apply_instruction_to_passages")


def read_model_cards(source_path: Path, paths: Iterable[str]) -> pl.DataFrame:
    """One MODELS row per model that these `model_meta.json` files name; of several of a model the first speaks.

    A file that cannot be read says nothing here: reading the results beside it has put it among the rejects.
    """
    cards: dict[str, dict[str, Any]] = {}
    for path in paths:
        meta = _read_card(source_path / path)
        name = meta.get("name")
        if isinstance(name, str) and name not in cards:
            cards[name] = model_card(meta, described_by="source")
    return pl.DataFrame([cards[name] for name in sorted(cards)], schema=MODELS.schema)


def _read_card(path: Path) -> dict[str, Any]:
    try:
        return decode_with_nan(_CARD, path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def model_card(meta: Mapping[str, Any], *, described_by: str) -> dict[str, Any]:
    """One MODELS row from metadata in the form of `model_meta.json`; values of another type count as unknown."""
    training = names_or_unknown(meta.get("training_datasets"))
    dimension = meta.get("embed_dim")
    return {
        "model_name": meta["name"],
        "model_revision": _typed(meta, "revision", str),
        "n_parameters": _whole(meta.get("n_parameters")),
        "embed_dim": max(map(_whole_or_zero, dimension), default=None)
        if isinstance(dimension, list)
        else _whole(dimension),
        "max_tokens": _whole(meta.get("max_tokens")),
        "release_date": _typed(meta, "release_date", str),
        "license": _typed(meta, "license", str),
        "open_weights": _typed(meta, "open_weights", bool),
        "use_instructions": _typed(meta, "use_instructions", bool),
        "prompt_scheme": prompt_scheme(meta),
        "default_prompts": _default_prompts(meta),
        "instruction_template": _typed(_loader_settings(meta), "instruction_template", str),
        "training_datasets": training,
        "training_closure": training if training == [] else None,
        "framework": names_or_unknown(meta.get("framework")),
        "languages": names_or_unknown(meta.get("languages")),
        "adapted_from": _typed(meta, "adapted_from", str),
        "superseded_by": _typed(meta, "superseded_by", str),
        "described_by": described_by,
    }


def prompt_scheme(meta: Mapping[str, Any]) -> str | None:
    """What a model was trained to take before a text, from how mteb loads it; None where that does not say.

    1. *free*: its loader puts an instruction into a template: the loader's settings hold `instruction_template`,
       `prompts_dict` or `apply_instruction_to_passages`, or the loader's name says "instruct".
    2. *fixed prefix*: the settings hold `model_prompts`, fixed texts by task or side.
    3. *none*: the model is declared not to take instructions.
    """
    settings = _loader_settings(meta)
    if any(settings.get(name) is not None for name in _TEMPLATED) or "instruct" in str(meta.get("loader")).lower():
        return PromptScheme.FREE
    if settings.get("model_prompts"):
        return PromptScheme.FIXED
    return PromptScheme.NONE if meta.get("use_instructions") is False else None


def names_or_unknown(value: Any) -> list[str] | None:
    """Names in alphabetical order from a list, a set or an object's keys; empty stays empty, all else is None."""
    if isinstance(value, list | set | frozenset | tuple | dict):
        return sorted(str(name) for name in value)
    return None


def _loader_settings(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    settings = meta.get("loader_kwargs")
    return settings if isinstance(settings, Mapping) else {}


def _default_prompts(meta: Mapping[str, Any]) -> str | None:
    settings = _loader_settings(meta)
    prompts = settings.get("model_prompts") or settings.get("prompts_dict")
    return json.dumps(prompts, ensure_ascii=False, sort_keys=True, default=str) if isinstance(prompts, dict) else None


def _typed(meta: Mapping[str, Any], name: str, kind: type) -> Any:
    value = meta.get(name)
    return value if isinstance(value, kind) else None


def _whole(value: Any) -> int | None:
    """A whole number; None for null, for infinity (no stated limit) and for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return int(value) if abs(value) < 2**63 else None


def _whole_or_zero(value: Any) -> int:
    return _whole(value) or 0
