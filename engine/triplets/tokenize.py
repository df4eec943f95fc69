"""Counting tokens where the models are: of pasted texts at once, of a set's or of parallel texts as a file to compare.

Counts of texts in several languages are kept per model, so that a page can show them without any model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.atomic import write_atomically
from engine.errors import EngineError, UsageError
from engine.progress import Progress
from engine.settings import Settings
from engine.sweep.encoders import Encoder
from engine.sweep.tokenizing import count_text
from engine.sweep.vectors import VectorSource
from engine.triplets.counts import LanguageCount, token_folder
from engine.triplets.files import read_set
from engine.triplets.parallel import Pairs

Encoders = Callable[[str], VectorSource]
_SUMMED = ("tokens", "special", "unknown", "byte", "broken", "characters", "words")


def run_tokenize(
    settings: Settings, options: Mapping[str, Any], progress: Progress, encoders: Encoders
) -> dict[str, Any]:
    """How each model cuts the texts, and what was left out.

    Args:
        settings: Where sets and counts lie.
        options: `models`; `texts` to show token by token, `set` whose texts are counted by language; `prompt`.
        progress: Told how far it is.
        encoders: From a model's name to its vectors.

    Raises:
        UsageError: There is no such set, or nothing to count.
    """
    texts = [str(text) for text in options.get("texts") or ()]
    set_name, prompt = options.get("set"), str(options.get("prompt") or "")
    if not texts and not set_name:
        raise UsageError("There are no texts and no set; expected one of them. Paste a text.")
    models = [str(each) for each in options.get("models") or ()]
    shown: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    for place, name in enumerate(models):
        progress(f"asking {name}", place, len(models))
        try:
            encoder = encoders(name).encoder
            if set_name:
                keep_counts(settings, str(set_name), encoder, _texts_of(settings, str(set_name)))
            shown += [_shown(encoder, text, prompt) for text in texts]
        except EngineError as error:
            refused.append({"what": "model", "name": name, "reason": str(error)})
    return {"texts": shown, "refused": refused}


def keep_counts(settings: Settings, name: str, encoder: Encoder, texts: Mapping[str, Pairs]) -> list[LanguageCount]:
    """Counts texts by language and keeps what came out.

    Args:
        settings: Where counts lie.
        name: What the texts are called.
        encoder: Whose tokenizer counts.
        texts: By language.
    """
    counts = [count_language(encoder, language, pairs) for language, pairs in texts.items()]
    lines = [json.dumps(asdict(count), ensure_ascii=False) for count in counts]
    write_atomically(_counts_file(settings, name, encoder), "".join(f"{line}\n" for line in lines))
    return counts


def _counts_file(settings: Settings, name: str, encoder: Encoder) -> Path:
    identity = encoder.identity
    model = identity.model_name.replace("/", "__")
    return token_folder(settings) / name / model / f"{identity.model_revision}.jsonl"


def count_language(encoder: Encoder, language: str, pairs: Pairs) -> LanguageCount:
    """What the texts of a language cost, and what they would in English."""
    counts = [count_text(encoder, text) for text, _ in pairs]
    english = [english for _, english in pairs if english is not None]
    broken = [count.broken for count in counts if count.broken is not None]
    return LanguageCount(
        language=language,
        texts=len(counts),
        tokens=sum(count.tokens for count in counts),
        special=sum(count.special for count in counts),
        unknown=sum(count.unknown for count in counts),
        byte=sum(count.byte for count in counts),
        broken=sum(broken) if len(broken) == len(counts) else None,
        characters=sum(count.characters for count in counts),
        words=sum(count.words for count in counts),
        english_tokens=sum(count_text(encoder, text).tokens for text in english)
        if len(english) == len(pairs)
        else None,
    )


def _texts_of(settings: Settings, set_name: str) -> dict[str, Pairs]:
    found: dict[str, dict[str, None]] = {}
    for item in read_set(settings, set_name).items:
        found.setdefault(item.language, {}).update(dict.fromkeys(item.texts))
    return {language: [(text, None) for text in texts] for language, texts in found.items()}


def _shown(encoder: Encoder, text: str, prompt: str) -> dict[str, Any]:
    count = count_text(encoder, text, prompt)
    told = {name: getattr(count, name) for name in (*_SUMMED, "pieces")}
    return {
        "model_name": encoder.identity.model_name,
        "text": text,
        **told,
        "read": encoder.count_tokens([prompt + text])[0],
    }
