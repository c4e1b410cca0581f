"""Forms and buttons for plans, check-ins, the profile and files."""

import json
from collections.abc import Callable
from hashlib import sha256

import streamlit as st
from pydantic import ValidationError

from coach_agent.domain.pain import LEVELS, known_parts
from coach_agent.domain.red_flags import red_flags_in, stop_text
from coach_agent.journal.current_plans import PlanReport
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.season import Goal
from coach_agent.store.check_ins import FEELINGS, LONGEST_MINUTES
from dashboard.requests import draw_button, is_busy, keep_stop, send
from orchestration.config.settings import Settings
from orchestration.services.requests.athlete_requests import (
    Approve,
    CheckIn,
    EditProfile,
    ImportFile,
    NextPlan,
    Reject,
    Request,
    RollBack,
    uploads_folder,
)
from orchestration.text.measures import name_text

_GOALS = ("strength", "hypertrophy", "both")
_MODES = {
    "preview": "previewed only",
    "approve": "written to Hevy after you approve",
    "auto": "written to Hevy",
}

_NOTHING_SAID = "Fill in at least one field."
# A plan in these states may be approved; `previewed` is the athlete's own choice.
_MAY_BE_APPROVED = {"waiting", "withheld", "rejected"}
_MAY_BE_REJECTED = {None, "waiting", "approved", "withheld", "conflict"}
# Another plan's publication is the last change in Hevy; a rollback would undo itself.
_LEAVES_THE_LAST = {None, "waiting", "approved", "withheld", "rejected", "expired", "unchanged"}
_LATEST = "latest"


def offer_decisions(
    settings: Settings, athlete_id: str, report: PlanReport, mode: str, *, has_published: bool
) -> None:
    """Draw the buttons that publish, reject, roll back or replace a plan.

    `has_published` is whether an earlier plan came into force, which Undo then rolls back.
    """
    state, plan_id = report.publication_state, report.plan_id
    with st.container(horizontal=True):
        if mode == "approve" and state in _MAY_BE_APPROVED:
            draw_button(
                "Approve",
                lambda: send(settings, Approve(athlete_id=athlete_id, plan_id=plan_id)),
                is_primary=True,
            )
        if mode != "preview" and state in _MAY_BE_REJECTED:
            with st.popover("Reject", disabled=is_busy()):
                _reason_form(
                    "reject",
                    "Reason for the coach",
                    lambda why: Reject(athlete_id=athlete_id, plan_id=plan_id, because=why),
                    settings,
                )
        undone = plan_id if state == "published" else _LATEST
        if state == "published" or (has_published and state in _LEAVES_THE_LAST):
            with st.popover("Undo", disabled=is_busy()):
                st.markdown("Restores the routine in Hevy to its state before the last change.")
                draw_button(
                    "Undo now",
                    lambda: send(settings, RollBack(athlete_id=athlete_id, plan_id=undone)),
                )
        offer_next_plan(settings, athlete_id)


def offer_next_plan(settings: Settings, athlete_id: str) -> None:
    """Draw the button that runs the steps of a night at once."""
    draw_button("Plan again", lambda: send(settings, NextPlan(athlete_id=athlete_id)))


def offer_check_in(settings: Settings, athlete_id: str, *, has_red_flag: bool = False) -> None:
    """Draw the check-in form; the next workout is reduced or shortened accordingly.

    With an open red flag the athlete can clear it.
    """
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
        is_cleared = has_red_flag and st.checkbox("The red flag is cleared; plan again")
        st.caption("Plans only get easier. A check-in counts for 36 hours.")
        if st.form_submit_button("Check in", type="primary", disabled=is_busy()):
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
                keep_stop(
                    stop_text(code for each in (note, *said.pain) for code in red_flags_in(each))
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
        if st.form_submit_button("Save", disabled=is_busy()):
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


def offer_import(settings: Settings, athlete_id: str | None) -> None:
    """Draw a form for a training file; without an athlete it also asks for the athlete."""
    with st.form("import"):
        file = st.file_uploader("Export of Hevy, Strong or FitNotes (CSV)", type="csv")
        whose = athlete_id or st.text_input(
            "A short name for yourself", value="me", help="Lower-case letters, digits, - and _."
        )
        unit = st.segmented_control("Unit, if the file names none", ("kg", "lb"))
        if st.form_submit_button("Import", type="primary", disabled=is_busy()):
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


def _reason_form(
    name: str, label: str, request: Callable[[str], Request], settings: Settings
) -> None:
    """Draw a reason field and its button; `request` builds the request from the reason."""
    with st.form(name, border=False):
        why = st.text_input(label, max_chars=500).strip()
        if st.form_submit_button("Send", disabled=is_busy()):
            if why:
                send(settings, request(why))
            else:
                st.error("Enter a reason.")
