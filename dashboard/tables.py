"""Tables as every page draws them."""

from collections.abc import Mapping, Sequence

import streamlit as st


def show_table(rows: Sequence[Mapping[str, object]]) -> None:
    """Draw rows, each a cell by heading: all of them at once, for people to read."""
    st.table(list(rows), border="horizontal", hide_index=True)
