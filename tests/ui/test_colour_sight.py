"""No two colours of one meaning look alike, to normal sight or to any kind of colour blindness."""

from itertools import combinations

import numpy as np
import pytest

from ui.charts.theme import DARK, LIGHT

SIGHTS = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
"""Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB."""
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ @ np.ones(3)
SMALLEST = 14.4
"""CIEDE2000; a glance tells colours that differ by ten apart."""


def lab(colour: str, sight: str) -> np.ndarray:
    """CIE L*a*b* of a colour as a sight sees it."""
    encoded = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.asarray(SIGHTS[sight]) @ linear, 0, 1) / WHITE
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def ciede2000(one: np.ndarray, other: np.ndarray) -> float:
    """The difference of two colours (Sharma, Wu and Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 1 + 0.5 * (1 - np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7)))
    c1, c2 = np.hypot(g * a1, b1), np.hypot(g * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, g * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    mean_h = (h1 + h2) / 2 if c1 * c2 == 0 or abs(h1 - h2) <= 180 else (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2
    mean_h = h1 + h2 if c1 * c2 == 0 else mean_h
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    t = 1 + sum(
        weight * np.cos(np.radians(times * mean_h + shift))
        for weight, times, shift in ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    )
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    twist = np.sin(np.radians(60 * np.exp(-(((mean_h - 275) / 25) ** 2))))
    rt = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7)) * twist
    return float(np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh)))


def closest(colours, sight):
    return min((ciede2000(lab(a, sight), lab(b, sight)), a, b) for a, b in combinations(colours, 2))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_difference_is_that_of_the_published_pairs(one, other, expected):
    assert ciede2000(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda palette: palette.name)
@pytest.mark.parametrize("meaning", ["models", "calls", "task types", "outcomes", "grid of outcomes"])
def test_no_two_colours_of_one_meaning_look_alike(meaning, palette, sight):
    colours = {
        "models": palette.models,
        "calls": tuple(palette.calls.values()),
        "task types": tuple(palette.task_types.values()),
        "outcomes": tuple(palette.outcomes.values()),
        "grid of outcomes": (*(palette.outcomes[name] for name in ("pass", "tie", "fail")), palette.ink2),
    }[meaning]
    difference, one, other = closest(colours, sight)
    assert difference >= SMALLEST - 0.05, f"{one} and {other} differ by {difference:.1f}"
