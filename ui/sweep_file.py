"""Study files in and out: one that is uploaded fills the form, and the form leaves as one that a terminal can run."""

from __future__ import annotations

import streamlit as st

from engine.errors import EngineError
from engine.study.file import Study
from ui import blocks
from ui.reads import sweeps

FORM = ("models", "tasks", "sets", "name", "limit", "seed", "device", "dtype")
"""The widgets of the form, by what they are called in the address; `prompts` is another page's."""
_FILE = "study-file"
_ERROR = "_study_error"


def show_upload() -> None:
    """Draws the upload; a file that is no study is said in one message that names the place."""
    with st.expander("Fill the form from a study file"):
        st.file_uploader("Study file (TOML); nothing is run yet", type=["toml"], key=_FILE, on_change=_take_over)
        if message := st.session_state.get(_ERROR):
            blocks.show_error(message)


def _take_over() -> None:
    """Fills the form with the uploaded study: called before the form is drawn."""
    file = st.session_state.get(_FILE)
    st.session_state.pop(_ERROR, None)
    if file is None:
        return
    try:
        study = sweeps.study_in(file.getvalue(), file.name)
    except EngineError as error:
        st.session_state[_ERROR] = str(error)
    else:
        st.session_state.update(form_of(study))


def form_of(study: Study) -> dict[str, object]:
    """What the form's widgets hold for a study."""
    usual = sweeps.USUAL_SEED
    return {
        "models": [model.words for model in study.models],
        "tasks": list(study.tasks),
        "sets": list(study.prompts),
        "name": study.name,
        "limit": "" if study.limit is None else str(study.limit),
        "seed": "" if study.seed == usual else str(study.seed),
        "device": study.device,
        "dtype": study.dtype,
    }


def show_download(study: Study) -> None:
    """Draws the button that saves the composed study as a file for `engine sweep --study`."""
    st.download_button(
        "Study file", data=study.file_text, file_name=f"{study.name}.toml", mime="application/toml",
        key="save-study", on_click="ignore", icon=":material/download:",
        help="The same sweep for a terminal, for another machine, or for later: python -m engine sweep --study FILE",
    )  # fmt: skip
