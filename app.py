"""The entry: `streamlit run app.py` serves the application below, which runs this file anew for every visitor."""

from __future__ import annotations

import logging

import streamlit as st
from streamlit.runtime import exists

from ui.navigation import register_pages

if exists():
    from ui.frame import show_frame

    show_frame()
else:
    # The server imports this file once before anybody comes. Pages are made known here because a deep link that is
    # the very first request would otherwise be answered by Streamlit's older rule for a folder named `pages`: with
    # “Page not found” in front of the page. Streamlit warns that there is no visitor yet, which is as it should be.
    logging.disable(logging.WARNING)
    register_pages()
    logging.disable(logging.NOTSET)
    app = st.App(__file__)
