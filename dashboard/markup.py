"""Compact HTML for what Streamlit has no element for; every text is escaped."""

from base64 import b64encode
from html import escape

import streamlit as st


class Html(str):
    """Markup that was built here; any other text is escaped when it becomes part of it."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str) -> Html:
    """Build an element; a trailing underscore of an attribute is dropped, as in `class_`."""
    named = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
    )
    return Html(f"<{name}{named}>{join(*children)}</{name}>")


def join(*children: str) -> Html:
    """Concatenate markup and texts."""
    return Html("".join(each if isinstance(each, Html) else escape(each) for each in children))


def whole_parts(text: str) -> Html:
    """Build a text whose parts between semicolons break only if they are wider than the line."""
    *parts, last = text.split("; ")
    texts = (*(f"{part};" for part in parts), last)
    spans = (element("span", each, class_="whole") for each in texts)
    return Html(" ".join(spans))


def show_markup(markup: Html) -> None:
    """Draw markup."""
    st.html(markup)


def picture(svg: Html, alt: str) -> Html:
    """Build an image of a drawing, which cannot run scripts or load anything, with its text."""
    data = b64encode(svg.encode()).decode()
    return Html(f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">')
