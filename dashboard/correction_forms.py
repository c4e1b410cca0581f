"""Forms and buttons for corrections, exercise names and memories."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st
from pydantic import ValidationError

from dashboard.requests import draw_button, is_busy, send
from dashboard.wording import plain
from orchestration.config.settings import Settings
from orchestration.services.requests.athlete_requests import (
    AcceptAliases,
    AcceptSets,
    Command,
    CorrectSet,
    CorrectWorkout,
    DecideMemory,
    DecideProposal,
    Request,
    RequestError,
    read_output,
)

_WorkoutAction = Literal["exclude", "include"]
_SetAction = Literal["accept", "doubt"]


def read_on_request(settings: Settings, label: str, command: Command, run_id: str) -> Any:
    """Draw a button that reads the JSON of a command; None before it was pressed.

    The answer is kept for the visitor until `forget_answer`, or the release of another run.
    """
    key = _answer_key(command)
    if st.button(label):
        try:
            with st.spinner("Reading …"):
                st.session_state[key] = (run_id, json.loads(read_output(settings, command)))
        except RequestError as error:
            st.error(plain(str(error)))
    of_run, answer = st.session_state.get(key, (run_id, None))
    return answer if of_run == run_id else None


def forget_answer(command: Command) -> None:
    """Drop a kept answer that a request is about to change."""
    st.session_state.pop(_answer_key(command), None)


def _answer_key(command: Command) -> str:
    return f"answer of {' '.join(command)}"


def offer_corrections(
    settings: Settings,
    athlete_id: str,
    *,
    counted: Mapping[str, str],
    left_out: Mapping[str, str],
    doubted: Mapping[str, str],
) -> None:
    """Draw forms for corrections; each has its choices by id, with a text."""

    def workouts(name: str, label: str, known: Mapping[str, str], action: _WorkoutAction) -> None:
        _correction_form(
            name,
            label,
            known,
            lambda chosen, why: CorrectWorkout(
                athlete_id=athlete_id, workout_id=chosen, action=action, because=why
            ),
            settings,
        )

    def sets(name: str, label: str, action: _SetAction) -> None:
        _correction_form(
            name,
            label,
            doubted,
            lambda chosen, why: CorrectSet(
                athlete_id=athlete_id, set_key=chosen, action=action, because=why
            ),
            settings,
        )

    with st.expander("Correct your history"):
        st.markdown("Recorded data stay; analysis and plans follow your correction.")
        workouts("leave out", "Leave a workout out", counted, "exclude")
        workouts("take in", "Count a workout again", left_out, "include")
        sets("accept", "A doubted set is right as it is", "accept")
        sets("doubt", "A doubted set is a typing error", "doubt")


def offer_accept_sets(settings: Settings, athlete_id: str, exercises: Mapping[str, str]) -> None:
    """Draw a form that accepts all doubted sets of an exercise; `exercises` are texts by key."""
    with st.form("accept all"):
        exercise = st.selectbox("Exercise", list(exercises), format_func=exercises.__getitem__)
        why = st.text_input("Reason", value="checked", max_chars=500).strip()
        if st.form_submit_button("Accept", disabled=is_busy()):
            if not why:
                st.error("Enter a reason.")
                return
            try:
                request = AcceptSets(athlete_id=athlete_id, exercise=exercise, because=why)
            except ValidationError:
                st.error("The name of this exercise is too long; accept its sets one by one.")
                return
            send(settings, request)


def offer_accept_aliases(
    settings: Settings, athlete_id: str, proposals_sha256: str, on_accept: Callable[[], None]
) -> None:
    """Draw the button that joins all shown titles with their exercises.

    `proposals_sha256` is the digest of the shown proposals; `on_accept` runs before the request.
    """

    def accept() -> None:
        on_accept()
        send(settings, AcceptAliases(athlete_id=athlete_id, proposals_sha256=proposals_sha256))

    draw_button("Join", accept)


def offer_memory_decision(
    settings: Settings, athlete_id: str, number: int, version: int, on_decide: Callable[[], None]
) -> None:
    """Draw the buttons that confirm or forget the shown version of a memory.

    `on_decide` runs before the request.
    """

    def decide(action: Literal["confirm", "forget"]) -> None:
        on_decide()
        send(
            settings,
            DecideMemory(athlete_id=athlete_id, number=number, version=version, action=action),
        )

    with st.container(horizontal=True):
        draw_button("Confirm", lambda: decide("confirm"), key=f"confirm {number}")
        with st.popover("Forget", key=f"ask to forget {number}", disabled=is_busy()):
            st.markdown("Deletes it with its history. The same workouts won't bring it back.")
            draw_button("Forget now", lambda: decide("forget"), key=f"forget {number}")


def offer_proposal(
    settings: Settings, athlete_id: str, number: int, on_decide: Callable[[], None]
) -> None:
    """Draw the buttons that carry out or drop a proposal. `on_decide` runs before the request."""

    def decide(action: Literal["accept", "refuse"]) -> None:
        on_decide()
        send(settings, DecideProposal(athlete_id=athlete_id, number=number, action=action))

    with st.container(horizontal=True):
        draw_button("Accept", lambda: decide("accept"), key=f"accept proposal {number}")
        draw_button("Drop", lambda: decide("refuse"), key=f"refuse proposal {number}")


def _correction_form(
    name: str,
    label: str,
    known: Mapping[str, str],
    request: Callable[[str, str], Request],
    settings: Settings,
) -> None:
    if not known:
        return
    with st.form(name):
        chosen = st.selectbox(label, list(known), format_func=known.__getitem__)
        why = st.text_input("Reason for the correction", max_chars=500).strip()
        if st.form_submit_button("Correct", disabled=is_busy()):
            if why:
                send(settings, request(chosen, why))
            else:
                st.error("Enter a reason.")
