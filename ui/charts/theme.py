"""Colours and glyphs, each for one meaning, so that a model or a call looks the same on every page.

Four palettes, measured to stay apart under normal, deutan, protan and tritan sight. Two of them never share a picture,
except calls and grey. Colour never works alone: calls have shapes, models labels, the target width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure

ThemeName = Literal["light", "dark"]
CallName = Literal["high", "typical", "low"]

FONT = '"Source Sans", sans-serif'
TASK_TYPES = (
    "BitextMining",
    "Retrieval",
    "Reranking",
    "InstructionReranking",
    "STS",
    "PairClassification",
    "Classification",
    "MultilabelClassification",
    "Clustering",
)
"""In the order in which areas are stacked and laid side by side."""


@dataclass(frozen=True)
class Glyph:
    """How one call is drawn and named; the neutral word comes first."""

    call: CallName
    word: str
    character: str
    plotly_symbol: str


GLYPHS: Mapping[str, Glyph] = MappingProxyType(
    {
        "high": Glyph("high", "high", "▲", "triangle-up"),
        "typical": Glyph("typical", "typical", "◆", "diamond"),
        "low": Glyph("low", "low", "▼", "triangle-down"),
    }
)


@dataclass(frozen=True)
class Palette:
    """All colours of one theme; text is left to the theme wherever a figure can."""

    name: ThemeName
    page: str
    surface: str
    rule: str
    band: str
    ink: str
    ink2: str
    ink3: str
    accent: str
    prompt: str
    calls: Mapping[str, str]
    models: tuple[str, ...]
    other_model: str
    task_types: Mapping[str, str]
    other_task_type: str
    outcomes: Mapping[str, str]
    sequential: tuple[str, ...]

    def model_colours(self, chosen: Sequence[str], order: Sequence[str]) -> dict[str, str]:
        """A colour for each chosen model; grey for those beyond the seven.

        A model keeps its colour across pages because colours follow `order`, the store's stable order, and not the
        place on the page. When two chosen models would share one, the later takes the next that is free.
        """
        place = {model: number for number, model in enumerate(order)}
        ordered = sorted(chosen, key=lambda model: (place.get(model, len(place)), model))
        colours: dict[str, str] = {}
        for model in ordered:
            free = [colour for colour in self.models if colour not in colours.values()]
            wanted = self.models[place.get(model, len(place)) % len(self.models)]
            colours[model] = wanted if wanted in free else free[0] if free else self.other_model
        return colours

    def task_colour(self, task_type: str | None) -> str:
        """The colour of a task: that of its type."""
        return self.task_types.get(task_type or "", self.other_task_type)


LIGHT = Palette(
    name="light",
    page="#ffffff",
    surface="#f4f6f8",
    rule="#e4e8ed",
    band="#e3e8ee",
    ink="#1d232b",
    ink2="#4f5966",
    ink3="#7b8694",
    accent="#1a6fb0",
    prompt="#7f8a97",
    calls=MappingProxyType({"high": "#b8321f", "typical": "#5d6673", "low": "#1a6fb0"}),
    models=("#2b90ff", "#d56d28", "#2a6a68", "#741637", "#6c3aa8", "#675000", "#ac749e"),
    other_model="#9aa0a8",
    task_types=MappingProxyType(
        dict(
            zip(
                TASK_TYPES,
                (
                    "#d8bd58", "#6699ee", "#014a61", "#7960b0", "#cdc3ee",
                    "#d97ca1", "#4b7b6a", "#9fdcae", "#963625",
                ),
                strict=True,
            )
        )
    ),
    other_task_type="#9aa0a8",
    outcomes=MappingProxyType({"pass": "#7fb8b0", "tie": "#e3b23c", "fail": "#b8321f", "right": "#14686c"}),
    sequential=("#f4f7fa", "#d3e2f0", "#9cc1e0", "#5a97c9", "#27699f", "#0f3f6b"),
)  # fmt: skip

DARK = Palette(
    name="dark",
    page="#14171c",
    surface="#1d2229",
    rule="#2a3038",
    band="#2b323b",
    ink="#e6e9ed",
    ink2="#b3bbc5",
    ink3="#87919d",
    accent="#6fb4f2",
    prompt="#8a95a2",
    calls=MappingProxyType({"high": "#ff8a66", "typical": "#aab2bd", "low": "#6fb4f2"}),
    models=("#94b6fd", "#f2a96e", "#2b9c94", "#e73e7c", "#9c5eee", "#8b8304", "#f3dbec"),
    other_model="#6b727b",
    task_types=MappingProxyType(
        dict(
            zip(
                TASK_TYPES,
                (
                    "#bca852", "#66adf8", "#0d6274", "#7c5ed9", "#e9e3fd",
                    "#fa8bab", "#269073", "#cbfcb6", "#a9502c",
                ),
                strict=True,
            )
        )
    ),
    other_task_type="#6b727b",
    outcomes=MappingProxyType({"pass": "#3f8f86", "tie": "#f6ecb8", "fail": "#ff8a66", "right": "#5cc4b8"}),
    sequential=("#191d23", "#1f3448", "#2a5379", "#3f7bb0", "#78abd9", "#c4def5"),
)  # fmt: skip

PALETTES: Mapping[ThemeName, Palette] = MappingProxyType({"light": LIGHT, "dark": DARK})


def luminance(colour: str) -> float:
    """Relative luminance of a `#rrggbb` colour, 0 to 1 (WCAG 2)."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def text_on(fill: str) -> str:
    """White or near-black, whichever has more contrast with the fill."""
    return max(("#ffffff", DARK.page), key=lambda text: contrast(text, fill))


def mixed(colour: str, ground: str, share: float) -> str:
    """The colour laid over a ground with `share` of its strength, as `#rrggbb`."""
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(top * share + below * (1 - share)):02x}" for top, below in pairs)


_CSS_COLOURS = ("page", "surface", "rule", "band", "ink", "ink2", "ink3", "accent", "prompt")


def css_variables() -> str:
    """CSS declarations `--sl-…` that follow the theme at once, without a rerun of the page.

    Greys carry the palette's own names (`--sl-ink2`), calls are `--sl-high`, `--sl-typical`, `--sl-low`.
    """
    pairs = {name: (getattr(LIGHT, name), getattr(DARK, name)) for name in _CSS_COLOURS}
    pairs |= {call: (LIGHT.calls[call], DARK.calls[call]) for call in GLYPHS}
    return "".join(f"--sl-{name}:light-dark({light},{dark});" for name, (light, dark) in pairs.items())


def base_layout(*, height: int, left: int, right: int, top: int = 8, bottom: int = 28) -> dict[str, Any]:
    """A Plotly layout that the theme of the page completes: nothing but margins, no legend, no zoom by accident."""
    return {
        "height": height,
        "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0},
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12},
    }
