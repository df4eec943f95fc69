"""How fast a GPU encodes here, against plain `SentenceTransformer.encode` and against the model's arithmetic.

    python benchmarks/gpu.py [--device cuda] [--texts 4000] [--model e5-large] [--small]

Two models with random weights, in the shapes of multilingual-e5-large (24 layers of width 1024, both directions) and
Qwen3-Embedding-0.6B (28 layers, one direction, last token), in bfloat16. Texts are random words, all cut at 512 tokens,
or of mixed lengths as a corpus has them. Measured is the whole way: cutting into tokens, sorting, batches, the model,
the check of what comes back, the file of vectors. The floor is the time that the model's multiplications would take at
the rate of one large matrix product on the same device. Without a GPU one layer of each runs in float32 on the CPU, to
show that all of it works; the aims are not judged then.
"""

from __future__ import annotations

import argparse
import logging
import math
import pydoc_data.topics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.sweep.libraries import prepare_libraries  # noqa: E402

prepare_libraries()

import torch  # noqa: E402

from engine.demo.models import E5_TOKENIZER  # noqa: E402
from engine.demo.weights import package_folder  # noqa: E402
from engine.sweep.encoders import Compute, SentenceTransformerEncoder  # noqa: E402
from engine.sweep.vectors import VectorFile, VectorSource  # noqa: E402

LONGEST = 512
SHARE_OF_FLOOR, TIMES_PLAIN = 0.6, 1.5
SMALL_LAYERS, SMALL_TEXTS = 1, 16


@dataclass(frozen=True)
class Shape:
    """The layers of a model."""

    layers: int
    width: int
    inner: int
    heads: int
    key_heads: int
    head_width: int
    is_causal: bool

    @property
    def matrices(self) -> int:
        """Parameters that every token is multiplied with."""
        queries, keys = self.heads * self.head_width, self.key_heads * self.head_width
        between = (3 if self.is_causal else 2) * self.width * self.inner
        return self.layers * (self.width * (2 * queries + 2 * keys) + between)

    def operations(self, lengths: Sequence[int]) -> float:
        """Multiplications and additions for texts of these lengths, attention included, padding not."""
        attention = 4 * self.layers * self.heads * self.head_width / (2 if self.is_causal else 1)
        return float(sum(2 * self.matrices * n + attention * n * n for n in lengths))


SHAPES = {
    "e5-large": Shape(24, 1024, 4096, 16, 16, 64, is_causal=False),
    "Qwen3-0.6B": Shape(28, 1024, 3072, 16, 8, 128, is_causal=True),
}


def main() -> None:
    """Prints the table; leaves with 1 where an aim is missed on a GPU."""
    asked = _asked()
    on_gpu = asked.device.startswith("cuda")
    logging.disable(logging.WARNING)
    if not on_gpu:
        size = f"{SMALL_LAYERS} layer, {asked.texts} texts of each kind"
        print(f"NO GPU: {size}, float32 on the CPU; the aims are not judged.")
    rate = matrix_rate(asked.device)
    print(f"{asked.device}: {rate / 1e12:.2f} TFLOP/s in one large matrix product")
    print(f"{'model':14}{'texts':8}{'texts/s':>10}{'tokens/s':>12}{'plain':>10}{'times plain':>13}{'of floor':>10}")
    missed = [
        line
        for name in asked.model
        for line in measure_model(name, asked.device, asked.texts, rate, is_small=asked.small)
    ]
    for line in missed if on_gpu and not asked.small else ():
        print(f"MISSED: {line}")
    sys.exit(bool(missed) and on_gpu and not asked.small)


def _asked() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options.add_argument("--texts", type=int, help="texts of each kind; 4,000 unless small")
    options.add_argument("--model", action="append", choices=SHAPES)
    options.add_argument("--small", action="store_true", help="few layers and texts, as without a GPU")
    asked = options.parse_args()
    asked.small = asked.small or not asked.device.startswith("cuda")
    asked.texts = asked.texts or (SMALL_TEXTS if asked.small else 4000)
    asked.model = asked.model or list(SHAPES)
    return asked


def matrix_rate(device: str) -> float:
    """Operations per second in a matrix product: large in bfloat16 on a GPU, less so in float32 on a CPU."""
    on_gpu = device.startswith("cuda")
    size, dtype = (8192, torch.bfloat16) if on_gpu else (1024, torch.float32)
    left, right = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
    times = []
    for _ in range(10):
        begun = perf_counter()
        left @ right
        if on_gpu:
            torch.cuda.synchronize(device)
        times.append(perf_counter() - begun)
    return 2 * size**3 / min(times)


def measure_model(name: str, device: str, n_texts: int, rate: float, *, is_small: bool) -> list[str]:
    """What a model misses of the aims; prints a line for each kind of texts."""
    shape = SHAPES[name]
    if is_small:
        shape = Shape(**{**vars(shape), "layers": SMALL_LAYERS})
    missed = []
    with tempfile.TemporaryDirectory(prefix="scorelens-gpu-") as kept:
        dtype = "bfloat16" if device.startswith("cuda") else "float32"
        model = random_model(shape, Path(kept), device, getattr(torch, dtype))
        encoder = SentenceTransformerEncoder(model, name, "random", Compute(device, dtype))
        for kind, texts in {"512": long_texts(n_texts), "mixed": mixed_texts(n_texts)}.items():
            lengths = encoder.count_tokens(texts)
            ours = _timed_engine(encoder, texts, Path(kept) / f"{kind}.sqlite")
            plain = _timed_plain(model, texts)
            share = shape.operations(lengths) / rate / ours
            print(
                f"{name:14}{kind:8}{n_texts / ours:10,.1f}{sum(lengths) / ours:12,.0f}{n_texts / plain:10,.1f}"
                f"{plain / ours:13.2f}{share:10.0%}",
                flush=True,
            )
            if kind == "512" and share < SHARE_OF_FLOOR:
                missed.append(f"{name} at 512 tokens reaches {share:.0%} of the floor, aim {SHARE_OF_FLOOR:.0%}")
            if kind == "mixed" and plain / ours < TIMES_PLAIN:
                missed.append(f"{name} on mixed lengths is {plain / ours:.2f} times plain encode, aim {TIMES_PLAIN}")
    return missed


def _timed_engine(encoder: SentenceTransformerEncoder, texts: Sequence[str], file: Path) -> float:
    with VectorFile(file) as vectors:
        VectorSource(encoder, vectors).fetch([f"{text} warm" for text in texts[:8]])
        source = VectorSource(encoder, vectors)
        begun = perf_counter()
        source.fetch(texts)
        return perf_counter() - begun


def _timed_plain(model: Any, texts: Sequence[str]) -> float:
    model.encode(list(texts[:8]), show_progress_bar=False)
    begun = perf_counter()
    model.encode(list(texts), show_progress_bar=False)
    return perf_counter() - begun


def random_model(shape: Shape, folder: Path, device: str, dtype: torch.dtype) -> Any:
    """A sentence-transformers model of that shape with random weights, and the tokenizer of multilingual-e5."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import AutoModel, PreTrainedTokenizerFast, Qwen3Config, XLMRobertaConfig

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(package_folder("semantra_multilingual") / E5_TOKENIZER),
        padding_side="left" if shape.is_causal else "right",
        model_max_length=LONGEST,
        **{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "cls_token": "<s>"},
    )
    sizes = {
        "vocab_size": len(tokenizer),
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "pad_token_id": tokenizer.pad_token_id,
    }
    if shape.is_causal:
        config: Any = Qwen3Config(**sizes, num_key_value_heads=shape.key_heads, head_dim=shape.head_width)
    else:
        config = XLMRobertaConfig(**sizes, max_position_embeddings=LONGEST + 2, type_vocab_size=1)
    torch.manual_seed(0)
    AutoModel.from_config(config, dtype=dtype).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    body = Transformer(str(folder), max_seq_length=LONGEST, model_kwargs={"dtype": dtype})
    pooling = Pooling(shape.width, pooling_mode="lasttoken" if shape.is_causal else "mean")
    return SentenceTransformer(modules=[body, pooling, Normalize()], device=device)


def long_texts(n_texts: int) -> list[str]:
    """Distinct texts that are cut at 512 tokens."""
    draw = Random(1)
    return [" ".join(draw.choices(_words(), k=LONGEST)) for _ in range(n_texts)]


def mixed_texts(n_texts: int) -> list[str]:
    """Distinct texts of 3 to 400 words, half of them below 40, as passages and queries have them."""
    draw = Random(2)
    lengths = [min(400, max(3, round(math.exp(draw.gauss(math.log(40), 1))))) for _ in range(n_texts)]
    return [" ".join(draw.choices(_words(), k=length)) for length in lengths]


@cache
def _words() -> list[str]:
    """Words of Python's own help."""
    return [word for text in pydoc_data.topics.topics.values() for word in text.split() if word.isalpha()]


if __name__ == "__main__":
    main()
