"""Names of models for places too narrow for them: shorter, still different from each other."""

from __future__ import annotations

from collections.abc import Sequence

from ui.formats import label, shortened

ABBREVIATIONS = {"instruct": "inst", "instruction": "inst"}
LEFT_OUT = frozenset({"embedding", "embeddings", "multilingual", "model", "text"})


def short_names(model_names: Sequence[str], most: int = 14) -> dict[str, str]:
    """A short name for each model: words that most names share go first, then the last words while all still differ.

    Names that would become alike keep more of themselves; what is still too long loses its end.
    """
    words = {name: _words(label(name)) for name in model_names}
    shorter = {name: "-".join(parts) for name, parts in words.items()}
    for name, parts in words.items():
        while len(parts) > 2 and len("-".join(parts)) > most and parts[-1] != "inst":
            cut = "-".join(parts[:-1])
            if any(cut == other or other.startswith(f"{cut}-") for key, other in shorter.items() if key != name):
                break
            parts.pop()
        shorter[name] = "-".join(parts)
    if len(set(shorter.values())) < len(shorter):
        return {name: label(name) for name in model_names}
    return shorter


def _words(name: str) -> list[str]:
    first, *rest = name.split("-")
    parts = ["m" if first == "multilingual" else first, *rest]
    kept = [ABBREVIATIONS.get(part.lower(), part) for part in parts if part.lower() not in LEFT_OUT]
    return kept or parts


def short_task(task_name: str, most: int = 18) -> str:
    """A task's name without what its type says anyway: `Touche2020`, `STS22`."""
    base = task_name.split(".")[0]
    for ending in ("HardNegatives", "Retrieval", "Classification", "ClusteringP2P", "ClusteringS2S", "Clustering"):
        base = base.removesuffix(ending) or base
    return shortened(base, most)
