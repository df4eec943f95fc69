"""Where labels stand when their marks lie closer together than text can."""

from __future__ import annotations

from collections.abc import Sequence


def pushed_apart(values: Sequence[float], gap: float) -> list[float]:
    """Places of labels in the order of `values`, at least `gap` apart and as near to their values as can be.

    Least squares under that constraint: labels that would touch form a block around the mean of their values.
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    blocks: list[tuple[float, int]] = []
    for step, i in enumerate(order):
        mean, size = values[i] - step * gap, 1
        while blocks and blocks[-1][0] > mean:
            before, others = blocks.pop()
            mean, size = (mean * size + before * others) / (size + others), size + others
        blocks.append((mean, size))
    spread = [mean for mean, size in blocks for _ in range(size)]
    places = dict(zip(order, (place + step * gap for step, place in enumerate(spread)), strict=True))
    return [places[i] for i in range(len(values))]
