"""Forms and buttons for requests, and the progress of the last request."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal
from uuid import uuid4

import streamlit as st
from pydantic import ValidationError

from coach_agent.domain.pain import LEVELS, known_parts
from coach_agent.domain.red_flags import red_flags_in, stop_text
from coach_agent.journal.decisions import PlanReport
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.season import Goal
from coach_agent.store.check_ins import FEELINGS, LONGEST_MINUTES
from dashboard.asking import Asked, AskingError, Progress, ask, progress_of, under_way
from dashboard.logins import current_login
from dashboard.wording import plain
from orchestration.config.settings import Settings
from orchestration.services.athlete_requests import (
    AcceptAliases,
    AcceptSets,
    Approve,
    CheckIn,
    Command,
    CorrectSet,
    CorrectWorkout,
    DecideMemory,
    EditProfile,
    ImportFile,
    NextPlan,
    Reject,
    Request,
    RequestError,
    RollBack,
    read_output,
    uploads_folder,
)
from orchestration.text.measures import name_text

_WorkoutAction = Literal["exclude", "include"]
_SetAction = Literal["accept", "doubt"]

_GOALS = ("strength", "hypertrophy", "both")
_MODES = {
    "preview": "previewed only",
    "approve": "written to Hevy after you approve",
    "auto": "written to Hevy",
}

_LOOK_EVERY_S = 1.0
_NOTHING_SAID = "Fill in at least one field."
# A plan in these states may be approved; `previewed` is the athlete's own choice.
_MAY_BE_APPROVED = {"waiting", "withheld", "rejected"}
_MAY_BE_REJECTED = {None, "waiting", "approved", "withheld", "conflict"}
# Another plan's publication is the last change in Hevy; a rollback would undo itself.
_LEAVES_THE_LAST = {None, "waiting", "approved", "withheld", "rejected", "expired", "unchanged"}
_LATEST = "latest"


@dataclass
class _Requests:
    """A visitor's requests: the active one, the result of the last one, ids of pending retries.

    It is mutated in place: another tap stops a script at its next access to Streamlit's state, and
    a launch before that must be visible to the script of that tap.
    """

    asked: Asked | None = None
    ended: Progress | None = None
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
        _watch(settings)
    elif requests.ended is not None:
        if requests.ended.state == "done":
            st.success("Done. This page shows the result.")
        else:
            st.error(plain(requests.ended.why) or "It failed. `spotter status` shows the reason.")


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
        requests.ended = Progress("failed", str(error))
    st.rerun()


def offer_decisions(
    settings: Settings, athlete_id: str, report: PlanReport, mode: str, *, has_published: bool
) -> None:
    """Draw the buttons that publish, reject, roll back or replace a plan.

    `has_published` is whether an earlier plan came into force, which Undo then rolls back.
    """
    state, plan_id = report.publication_state, report.plan_id
    with st.container(horizontal=True):
        if mode == "approve" and state in _MAY_BE_APPROVED:
            _button(
                "Approve",
                lambda: send(settings, Approve(athlete_id=athlete_id, plan_id=plan_id)),
                is_primary=True,
            )
        if mode != "preview" and state in _MAY_BE_REJECTED:
            with st.popover("Reject", disabled=_is_busy()):
                _reason_form(
                    "reject",
                    "Reason for the coach",
                    lambda why: Reject(athlete_id=athlete_id, plan_id=plan_id, because=why),
                    settings,
                )
        undone = plan_id if state == "published" else _LATEST
        if state == "published" or (has_published and state in _LEAVES_THE_LAST):
            with st.popover("Undo", disabled=_is_busy()):
                st.markdown("Restores the routine in Hevy to its state before the last change.")
                _button(
                    "Undo now",
                    lambda: send(settings, RollBack(athlete_id=athlete_id, plan_id=undone)),
                )
        offer_next_plan(settings, athlete_id)


def offer_next_plan(settings: Settings, athlete_id: str) -> None:
    """Draw the button that runs the steps of a night at once."""
    _button("Plan again", lambda: send(settings, NextPlan(athlete_id=athlete_id)))


def offer_check_in(settings: Settings, athlete_id: str) -> None:
    """Draw the check-in form; the next workout is reduced or shortened accordingly."""
    with st.expander("Check in before you train"), st.form("check-in", border=False):
        energy = st.segmented_control("Energy", list(FEELINGS), format_func=name_text)
        soreness = st.segmented_control("Soreness", list(FEELINGS), format_func=name_text)
        minutes = st.number_input(
            "Minutes you have", min_value=5, max_value=LONGEST_MINUTES, value=None, step=5
        )
        parts = st.multiselect("What hurts", known_parts(), format_func=str.capitalize)
        level = st.segmented_control("How much", LEVELS, default=LEVELS[0], format_func=name_text)
        note = st.text_input("How you feel, in your own words", max_chars=500).strip()
        is_easy = st.checkbox("Take the whole workout easy")
        is_cleared = st.checkbox("The red flag is cleared; plan again")
        st.caption("Plans only get easier. A check-in counts for 36 hours.")
        if st.form_submit_button("Check in", type="primary", disabled=_is_busy()):
            said = CheckIn(
                athlete_id=athlete_id,
                energy=energy,
                soreness=soreness,
                minutes=minutes,
                pain=tuple(f"{part}:{level or LEVELS[0]}" for part in parts),
                is_easy=is_easy,
                note=note or None,
                is_cleared=is_cleared,
            )
            if said == CheckIn(athlete_id=athlete_id):
                st.error(_NOTHING_SAID)
            else:
                # At once: running it takes a minute, or fails.
                _requests().stop = stop_text(
                    code for each in (note, *said.pain) for code in red_flags_in(each)
                )
                send(settings, said)


def offer_profile(settings: Settings, profile: AthleteProfile) -> None:
    """Draw a form for the frequently changed profile keys; only changed keys are written."""
    goal = profile.goal or Goal()
    with st.expander("Goal and profile"), st.form("profile", border=False):
        kind = st.selectbox(
            "Goal",
            _GOALS,
            index=_GOALS.index(goal.kind),
            format_func=name_text,
        )
        event = st.text_input("Event", value=goal.event or "", max_chars=100)
        day = st.date_input("Event day", value=goal.date, format="YYYY-MM-DD")
        minutes = st.number_input(
            "Minutes per workout",
            min_value=15,
            max_value=240,
            value=profile.session_minutes,
            step=5,
        )
        mode = st.selectbox(
            "Plans are",
            list(_MODES),
            index=list(_MODES).index(profile.publish.mode),
            format_func=_MODES.__getitem__,
        )
        st.caption("All other keys: docs/profile.md. Comments in the file stay.")
        if st.form_submit_button("Save", disabled=_is_busy()):
            before = {
                "goal.kind": goal.kind,
                "goal.event": _quoted(goal.event or ""),
                "goal.date": str(goal.date or ""),
                "session_minutes": str(profile.session_minutes or ""),
                "publish.mode": profile.publish.mode,
            }
            after = {
                "goal.kind": kind,
                "goal.event": _quoted(event.strip()),
                "goal.date": str(day or ""),
                "session_minutes": str(minutes or ""),
                "publish.mode": mode,
            }
            changes = tuple(f"{key}={after[key]}" for key in after if after[key] != before[key])
            if changes:
                send(settings, EditProfile(athlete_id=profile.id, changes=changes))
            else:
                st.error("Nothing was changed.")


def _quoted(text: str) -> str:
    """Quote a text for TOML, so that an event named 2027 is no number; empty stays empty."""
    return json.dumps(text, ensure_ascii=False) if text else ""


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


def offer_import(settings: Settings, athlete_id: str | None) -> None:
    """Draw a form for a training file; without an athlete it also asks for the athlete."""
    with st.form("import"):
        file = st.file_uploader("Export of Hevy or Strong (CSV)", type="csv")
        whose = athlete_id or st.text_input(
            "A short name for yourself", value="me", help="Lower-case letters, digits, - and _."
        )
        unit = st.segmented_control("Unit, if the file names none", ("kg", "lb"))
        if st.form_submit_button("Import", type="primary", disabled=_is_busy()):
            if file is None:
                st.error("Choose a file first.")
                return
            content = file.getvalue()
            name = f"{sha256(content).hexdigest()}.csv"
            try:
                request = ImportFile(athlete_id=whose.strip(), file_name=name, weight_unit=unit)
            except ValidationError:
                st.error("A name has lower-case letters, digits, - and _.")
                return
            path = uploads_folder(settings) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            send(settings, request)


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
        if st.form_submit_button("Accept", disabled=_is_busy()):
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

    _button("Join", accept)


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
        _button("Confirm", lambda: decide("confirm"), key=f"confirm {number}")
        with st.popover("Forget", key=f"ask to forget {number}", disabled=_is_busy()):
            st.markdown("Deletes it with its history. The same workouts won't bring it back.")
            _button("Forget now", lambda: decide("forget"), key=f"forget {number}")


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
        if st.form_submit_button("Correct", disabled=_is_busy()):
            if why:
                send(settings, request(chosen, why))
            else:
                st.error("Enter a reason.")


def _reason_form(
    name: str, label: str, request: Callable[[str], Request], settings: Settings
) -> None:
    """Draw a reason field and its button; `request` builds the request from the reason."""
    with st.form(name, border=False):
        why = st.text_input(label, max_chars=500).strip()
        if st.form_submit_button("Send", disabled=_is_busy()):
            if why:
                send(settings, request(why))
            else:
                st.error("Enter a reason.")


def _button(
    label: str, act: Callable[[], None], *, is_primary: bool = False, key: str | None = None
) -> None:
    kind: Literal["primary", "secondary"] = "primary" if is_primary else "secondary"
    if st.button(label, key=key, type=kind, disabled=_is_busy()):
        act()


def _requests() -> _Requests:
    held: _Requests = st.session_state.setdefault("requests", _Requests())
    return held


def _is_busy() -> bool:
    return _requests().asked is not None


@st.fragment(run_every=_LOOK_EVERY_S)
def _watch(settings: Settings) -> None:
    requests = _requests()
    if (asked := requests.asked) is None:
        return
    progress = progress_of(settings, asked)
    if progress.state in {"done", "failed"}:
        requests.asked, requests.ended = None, progress
        st.rerun()
    seconds = time.monotonic() - asked.asked_at_s
    if progress.state == "waiting":
        st.info(f"Waits for a run that is under way, for {seconds:.0f} s …", icon="⏳")
    else:
        st.info(f"Under way for {seconds:.0f} s; a new plan takes about a minute …", icon="⏳")
