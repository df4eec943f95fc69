"""Tables behind the pictures: sortable on screen, and as CSV with the settings that made them.

Names, help texts and number formats come from `engine.measures` and the columns of `engine.schema`; the CSV keeps
fractions unrounded, as `engine show --format csv` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import polars as pl
import streamlit as st

from engine.measures import MEASURES_BY_KEY, Display, Measure
from engine.schema import TABLES
from ui import formats

LONGEST_WITHOUT_SCROLLING = 12
_MEANINGS = {column.name: column.meaning for table in reversed(TABLES) for column in table.columns}
_FORMATS = {
    Display.POINTS: "%.1f",
    Display.SIGNED_POINTS: "%+.1f",
    Display.PERCENT: "%.1f %%",
    Display.COUNT: "%,d",
    Display.NUMBER: "%,.1f",
    Display.DECIMAL: "%.2f",
}
_HUNDREDFOLD = (Display.POINTS, Display.SIGNED_POINTS, Display.PERCENT)


_AGGREGATES = ("borda_points", "mean_task_type", "mean_task")
_WAYS = {"q_low": "10th percentile"}


def measure_of(name: str) -> Measure | None:
    """The measure that a column is shown by: its own, or that of the aggregate in `<aggregate>_<way>`."""
    alike = (MEASURES_BY_KEY[key] for key in _AGGREGATES if name.startswith(f"{key}_"))
    return MEASURES_BY_KEY.get(name) or next(alike, None)


def column_title(name: str) -> str:
    """A column's name on screen: the measure's title, or the name in words (`n_complete_runs`: complete runs)."""
    if name in MEASURES_BY_KEY:
        return MEASURES_BY_KEY[name].title
    if measure := measure_of(name):
        way = name.removeprefix(f"{measure.key}_")
        return f"{measure.title}, {_WAYS.get(way, way)}"
    return name.removeprefix("n_").removesuffix("_name").replace("_", " ")


def column_help(name: str) -> str | None:
    """What stands behind a column: gloss and formula of the measure, or the schema's meaning."""
    if measure := measure_of(name):
        return _plain_markdown(f"{measure.gloss} Formula: {measure.formula}")
    return _plain_markdown(_MEANINGS[name]) if name in _MEANINGS else None


def _plain_markdown(text: str) -> str:
    """The text with every sign escaped that Streamlit's help bubbles would read as Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#+-.!|<>$~:" else letter for letter in text)


def _config(name: str, dtype: pl.DataType) -> Any:
    title, explanation = column_title(name), column_help(name)
    measure = measure_of(name)
    if measure and measure.display in _FORMATS and dtype.is_numeric():
        return st.column_config.NumberColumn(title, help=explanation, format=_FORMATS[measure.display])
    if dtype.is_integer():
        return st.column_config.NumberColumn(title, help=explanation, format="%,d")
    if dtype.is_float():
        return st.column_config.NumberColumn(title, help=explanation, format="%.3f")
    if dtype == pl.Datetime:
        return st.column_config.DatetimeColumn(title, help=explanation, format="D MMM YYYY, HH:mm", timezone="UTC")
    return st.column_config.Column(title, help=explanation)


def _on_screen(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in the units of the screen: fractions × 100, rounded, and without a negative zero."""
    hundredfold = [name for name in frame.columns if _is_hundredfold(measure_of(name), frame.schema[name])]
    rounded = (pl.col(hundredfold) * 100).round(1)
    return frame.with_columns(pl.when(rounded == 0).then(0.0).otherwise(rounded).name.keep())


def _is_hundredfold(measure: Measure | None, dtype: pl.DataType) -> bool:
    return measure is not None and measure.display in _HUNDREDFOLD and dtype.is_float()


def csv_with_settings(frame: pl.DataFrame, settings: Mapping[str, str]) -> str:
    """CSV whose first lines, each beginning with `#`, hold the settings and the snapshot; fractions unrounded."""
    comments = (f"# {key}: {' '.join(value.split())}\n" for key, value in settings.items())
    return "".join(comments) + _flat(frame).write_csv()


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as text, since CSV has none."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    return frame.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join("; "))


def show_table(
    frame: pl.DataFrame,
    *,
    name: str,
    settings: Mapping[str, str],
    columns: Iterable[str] | None = None,
    configs: Mapping[str, Any] | None = None,
    selectable: bool = False,
) -> list[int]:
    """Draws a sortable table with its CSV button; returns the numbers of the rows that are ticked.

    Args:
        frame: rows named by the glossary's columns, scores as fractions.
        name: stem of the file and of the widget keys; unique on the page.
        settings: what was chosen, with the snapshot; the CSV's first lines.
        columns: which to show and in which order; the CSV has all.
        configs: column settings in place of those derived from measures and schema.
        selectable: rows can be ticked.
    """
    shown = _on_screen(frame.select(list(columns)) if columns else frame)
    derived = {column: _config(column, dtype) for column, dtype in shown.schema.items()}
    state = st.dataframe(
        shown,
        key=f"table-{name}",
        hide_index=True,
        height="content" if len(shown) <= LONGEST_WITHOUT_SCROLLING else "auto",
        column_config={**derived, **(configs or {})},
        on_select="rerun" if selectable else "ignore",
        selection_mode="multi-row",
        placeholder=formats.MISSING,
    )
    show_csv(frame, name=name, settings=settings)
    ticked: list[int] = state["selection"]["rows"] if isinstance(state, dict) else []
    return ticked


def show_csv(frame: pl.DataFrame, *, name: str, settings: Mapping[str, str]) -> None:
    """Draws the button that saves a frame as CSV, with its settings in the first lines."""
    st.download_button(
        "CSV",
        data=partial(csv_with_settings, frame, settings),
        file_name=f"scorelens-{name}.csv",
        mime="text/csv",
        key=f"csv-{name}",
        on_click="ignore",
        icon=":material/download:",
        help="All rows and columns, unrounded; the first lines hold the settings and the snapshot.",
    )
