"""What a sweep asks of an encoder, and how strings are cut into batches and checked.

An encoder here knows nothing of prompts: it gets the exact strings. That is what lets one vector
store serve every prompt, and lets tests see what would have entered the tokenizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelUnavailable, RunFailed
from engine.sweep.libraries import prepare_libraries
from engine.sweep.token_ids import TokenIds
from engine.sweep.tokenizing import Piece, cut_by

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

TOKENS_PER_BATCH = {"cpu": 512, "cuda": 65_536}
"""Tokens of one batch, padding included: on a CPU, more is not faster (measured with 6 and 12 layers of width 384); on
a GPU as many as fill it, and half of that again as often as memory runs out."""

EXCERPT = 60
"""Characters of a text in an error message."""


@dataclass(frozen=True)
class Identity:
    """What fixes an embedding besides the string: two encoders with the same identity give the same vectors."""

    model_name: str
    model_revision: str
    dtype: str
    max_tokens: int | None
    normalised: bool
    width: int

    def key(self, string: str) -> bytes:
        """The name of a string's vector: a hash over the identity and the exact string."""
        parts = (self.model_name, self.model_revision, self.dtype, self.max_tokens, self.normalised, self.width, string)
        return sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True)
class Compute:
    """Where and in which numbers a model runs."""

    device: str = "cpu"
    """`cpu`, `cuda`, `cuda:1`"""
    dtype: str = "float32"
    """`float32`, `bfloat16`, `float16`"""


class Encoder(Protocol):
    """A loaded model."""

    identity: Identity
    device: str

    def count_tokens(self, strings: Sequence[str]) -> list[int]:
        """How many tokens of each string enter the model."""
        ...

    def encode(self, strings: Sequence[str]) -> Vectors:
        """One row per string, as one batch."""
        ...


class SentenceTransformerEncoder:
    """A sentence-transformers model, given whole strings: none of its own prompts are added.

    Vectors are as the model gives them; whether they have length 1 is the model's own affair, as it is in mteb.

    Args:
        model: The loaded model.
        model_name: Name under which its results are filed.
        model_revision: Revision likewise.
        compute: Where it runs and in which numbers.

    Raises:
        ModelUnavailable: The model treats prompts or sides in a way of its own.
    """

    def __init__(self, model: SentenceTransformer, model_name: str, model_revision: str, compute: Compute) -> None:
        why = _why_prompts_are_special(model)
        if why:
            raise ModelUnavailable(
                f"{model_name} {why}; expected one that embeds the whole string, prompt and text alike. "
                "Score it with mteb itself, and register its results."
            )
        self._model = model.eval()
        self._tokens = TokenIds(model)
        self.device = compute.device
        self.identity = Identity(
            model_name,
            model_revision,
            dtype=compute.dtype,
            max_tokens=model.max_seq_length,
            normalised=False,
            width=int(model.truncate_dim or model.get_embedding_dimension() or 0),
        )

    def count_tokens(self, strings: Sequence[str]) -> list[int]:
        """Tokens of each string, those that mark its ends included, after truncation."""
        return self._tokens.count(strings)

    def cut(self, string: str) -> list[Piece]:
        """The tokens of a string, special ones included, none cut off."""
        return cut_by(self._model.tokenizer, string)

    def encode(self, strings: Sequence[str]) -> Vectors:
        """One row per string."""
        import torch

        try:
            with torch.inference_mode():
                rows = self._forward(strings) if self._tokens.serve else self._encode_whole(strings)
                return np.asarray(rows.float().cpu().numpy(), dtype=np.float32)
        except torch.cuda.OutOfMemoryError as error:
            ran_out = str(error)
        # Only here are the batch's own tensors gone, which the error's frames held: what they took can be given back.
        torch.cuda.empty_cache()
        raise MemoryError(ran_out)

    def _forward(self, strings: Sequence[str]) -> Any:
        from sentence_transformers.util import batch_to_device

        rows = self._model(batch_to_device(self._tokens.batch(strings), self._model.device))["sentence_embedding"]
        return rows[:, : self._model.truncate_dim] if self._model.truncate_dim else rows

    def _encode_whole(self, strings: Sequence[str]) -> Any:
        return self._model.encode(
            list(strings), prompt="", batch_size=len(strings), convert_to_tensor=True, show_progress_bar=False
        )


def _why_prompts_are_special(model: SentenceTransformer) -> str:
    """Why a string alone does not fix a model's vector; empty where it does."""
    if any(getattr(module, "include_prompt", True) is False for module in model):
        return "leaves its prompt's tokens out of the embedding"
    first = model[0]
    if type(first).__name__ in ("Router", "Asym"):
        return "embeds queries and documents by modules of their own"
    if any(getattr(first, name, None) for name in ("query_expansion", "query_length", "document_length")):
        return "cuts or fills queries and documents by rules of their own"
    return ""


def load_folder(
    folder: Path | str, model_name: str, model_revision: str, compute: Compute, *, trust_remote_code: bool = False
) -> SentenceTransformerEncoder:
    """The encoder in a sentence-transformers folder of this machine; nothing is looked up anywhere else."""
    prepare_libraries()
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model = SentenceTransformer(
        str(folder),
        device=compute.device,
        local_files_only=True,
        trust_remote_code=trust_remote_code,
        model_kwargs={"dtype": getattr(torch, compute.dtype)},
    )
    return SentenceTransformerEncoder(model, model_name, model_revision, compute)


def tokens_per_batch(device: str) -> int:
    """The tokens that a batch may hold at first."""
    return TOKENS_PER_BATCH["cuda" if device.startswith("cuda") else "cpu"]


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a smaller batch may succeed where this error came up."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "out of memory" in str(error).lower())


def longest_first(lengths: Sequence[int]) -> list[int]:
    """Positions of texts, the longest first: texts of a batch are then alike in length, and little is padding."""
    return sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))


def batch_size(longest: int, budget: int) -> int:
    """How many texts fill a batch of `budget` tokens, padding included, given the longest of them; at least one."""
    return max(1, budget // max(1, longest))


def check_block(block: Vectors, strings: Sequence[str], width: int) -> None:
    """Refuse vectors that no score may rest on.

    Raises:
        RunFailed: A vector is of another width, holds NaN or Infinity, or is all zeros; the message names the texts.
    """
    if block.shape != (len(strings), width):
        raise RunFailed(
            f"The encoder returned vectors of shape {block.shape}, expected {(len(strings), width)}. "
            f"First text: {strings[0][:EXCERPT]!r}. Check that the model's folder is complete."
        )
    finite = np.isfinite(block).all(axis=1)
    bad = {
        "NaN or Infinity": np.flatnonzero(~finite),
        "nothing but zeros": np.flatnonzero(finite & ~block.any(axis=1)),
    }
    for what, positions in bad.items():
        if len(positions):
            named = ", ".join(f"{text_id(strings[at])} {strings[at][:EXCERPT]!r}" for at in positions[:3])
            raise RunFailed(
                f"{len(positions)} of {len(strings)} vectors hold {what}, expected finite numbers; nothing was scored. "
                f"Texts: {named}. Look at these texts, or run the model in float32."
            )


def text_id(string: str) -> str:
    """A short name for a text: the first 12 digits of its SHA-256."""
    return sha256(string.encode("utf-8", "surrogatepass")).hexdigest()[:12]
