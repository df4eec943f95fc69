"""Commands about tokens: `engine tokenize` counts with the models' own tokenizers, `show tokenization` prints it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from engine.commands.options import Layout, SnapshotId
from engine.commands.terminal import Format, progress_bar, say, show_frame
from engine.errors import ModelUnavailable, SourceError, UsageError
from engine.settings import from_environment
from engine.triplets.parallel import Pairs, read_parallel

MESSAGES = {
    "ar": "ara-Arab", "bn": "ben-Beng", "de": "deu-Latn", "el": "ell-Grek", "es": "spa-Latn", "fi": "fin-Latn",
    "fr": "fra-Latn", "he": "heb-Hebr", "hi": "hin-Deva", "hu": "hun-Latn", "ja": "jpn-Jpan", "ko": "kor-Hang",
    "ml": "mal-Mlym", "ru": "rus-Cyrl", "ta": "tam-Taml", "te": "tel-Telu", "tr": "tur-Latn", "zh_Hans": "cmn-Hans",
}  # fmt: skip
"""Languages of Django's messages that are counted, by the name of their catalogue."""
PARALLEL = "django-messages"


def tokenize(
    models: Annotated[list[str], typer.Option("--model", help="Model whose tokenizer counts; repeatable.")],
    set_name: Annotated[
        str, typer.Option("--set", help="Triplet set to count; neither = Django's messages beside their English.")
    ] = "",
    file: Annotated[
        Path | None,
        typer.Option("--file", help="Table of parallel texts: a column per language, such as eng-Latn and mal-Mlym."),
    ] = None,
) -> None:
    """Count tokens by language, special tokens included, and keep the counts for `show tokenization`."""
    from engine.study.publishing import publish_own_files
    from engine.study.warm import WarmModels
    from engine.triplets.tokenize import keep_counts, run_tokenize

    if set_name and file is not None:
        raise UsageError(f"Both --set {set_name} and --file {file} were given; expected one of them. Leave one out.")
    settings = from_environment()
    called, texts = (PARALLEL, _messages()) if file is None else (file.stem, _read(file))
    with progress_bar() as progress, WarmModels(settings, device="cpu") as encoders:
        if set_name:
            found = run_tokenize(settings, {"models": models, "set": set_name}, progress, encoders)
            if found["refused"]:
                raise ModelUnavailable("; ".join(refusal["reason"] for refusal in found["refused"]))
        else:
            for name in models:
                keep_counts(settings, called, encoders(name).encoder, texts)
        publish_own_files(settings, progress)
    say("Counted. Next: python -m engine show tokenization")


def _messages() -> Mapping[str, Pairs]:
    from engine.demo.django_messages import translations

    return {
        code: [(text, " ".join(english.split())) for english, text in translations(name).items()]
        for name, code in MESSAGES.items()
    }


def _read(file: Path) -> Mapping[str, Pairs]:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read ({error}); expected a table of texts. Check the path.") from error
    found = read_parallel(content, file.name)
    unused = f", not used: {', '.join(found.unused)}" if found.unused else ""
    say(f"Encoding {found.encoding}, delimiter {found.delimiter}, languages {', '.join(found.texts)}{unused}.")
    if found.problems:
        named = "; ".join(f"line {each.line} {each.column}: {each.reason}" for each in found.problems[:10])
        raise SourceError(f"{len(found.problems):,} rows cannot be used, nothing was counted: {named}")
    return found.texts


def show_tokenization(snapshot: SnapshotId = "", layout: Layout = Format.TABLE) -> None:
    """What each language costs each model in tokens, as far as it was counted."""
    from engine.answers.tokenization import answer
    from engine.store import open_snapshot

    show_frame(answer(open_snapshot(from_environment(), snapshot or None)), layout)
