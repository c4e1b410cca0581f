"""Requests of a visitor: sending, progress and result of the last one."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal
from uuid import uuid4

import streamlit as st

from dashboard.asking import Asked, AskingError, Progress, ask, progress_of, under_way
from dashboard.logins import current_login
from dashboard.wording import plain
from orchestration.config.settings import Settings
from orchestration.services.requests.athlete_requests import Request

_LOOK_EVERY_S = 1.0
# Sticky by style.css: the form that sent a request may be screens below the top.
_IN_VIEW = "news"


@dataclass
class _Requests:
    """A visitor's requests: the active one, the result of the last one, ids of pending retries.

    `is_news` until the result was drawn once.
    It is mutated in place: another tap stops a script at its next access to Streamlit's state, and
    a launch before that must be visible to the script of that tap.
    """

    asked: Asked | None = None
    ended: Progress | None = None
    is_news: bool = False
    ids: dict[Request, str] = field(default_factory=dict)
    is_looked_for: bool = False
    stop: str = ""


def show_request(settings: Settings, athlete_id: str | None = None) -> None:
    """Draw the progress or the result of the last request.

    A reloaded page attaches to the athlete's active request.
    """
    requests = _requests()
    if requests.stop:
        st.error(requests.stop)
    if athlete_id is not None and not requests.is_looked_for:
        requests.asked = under_way(settings, athlete_id)
        requests.is_looked_for = True
    if requests.asked is not None:
        with st.container(key=_IN_VIEW):
            _watch(settings)
    elif requests.ended is not None:
        with st.container(key=_IN_VIEW if requests.is_news else None):
            if requests.ended.state == "done":
                st.success("Done. This page shows the result.")
            else:
                st.error(
                    plain(requests.ended.why) or "It failed. `spotter status` shows the reason."
                )
        requests.is_news = False


def send(settings: Settings, request: Request) -> None:
    """Send a request, unless another one is active; the page then watches it."""
    requests = _requests()
    if requests.asked is not None:
        return
    if not current_login().may_see(request.athlete_id):
        raise PermissionError(f"This login sends no requests for {request.athlete_id}.")
    # A request keeps its id until it is accepted: a lost one may have arrived, and is sent again.
    request_id = requests.ids.setdefault(request, str(uuid4()))
    try:
        requests.asked = ask(settings, request, request_id)
        requests.ended = None
        del requests.ids[request]
    except AskingError as error:
        requests.ended, requests.is_news = Progress("failed", str(error)), True
    st.rerun()


def draw_button(
    label: str, act: Callable[[], None], *, is_primary: bool = False, key: str | None = None
) -> None:
    """Draw a button that acts, disabled during a request."""
    kind: Literal["primary", "secondary"] = "primary" if is_primary else "secondary"
    if st.button(label, key=key, type=kind, disabled=is_busy()):
        act()


def _requests() -> _Requests:
    held: _Requests = st.session_state.setdefault("requests", _Requests())
    return held


def is_busy() -> bool:
    """Return whether a request of this visitor is active."""
    return _requests().asked is not None


def keep_stop(text: str) -> None:
    """Show a text above this visitor's pages at once; empty removes it."""
    _requests().stop = text


@st.fragment(run_every=_LOOK_EVERY_S)
def _watch(settings: Settings) -> None:
    requests = _requests()
    if (asked := requests.asked) is None:
        return
    progress = progress_of(settings, asked)
    if progress.state in {"done", "failed"}:
        requests.asked, requests.ended, requests.is_news = None, progress, True
        st.rerun()
    seconds = time.monotonic() - asked.asked_at_s
    if progress.state == "waiting":
        st.info(f"Waiting to start, {seconds:.0f} s; another run may be in progress …", icon="⏳")
    else:
        st.info(f"In progress, {seconds:.0f} s; a new plan takes about a minute …", icon="⏳")
