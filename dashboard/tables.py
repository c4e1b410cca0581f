"""Tables in the style of all pages."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.wording import plain


def show_table(rows: Sequence[Mapping[str, object]]) -> None:
    """Draw rows as cells by heading, all of them at once."""
    st.table(
        [
            {name: plain(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
            for row in rows
        ],
        border="horizontal",
        hide_index=True,
    )
