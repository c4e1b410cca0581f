"""Today: the next workout, what changed since last time, and what is coming up."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import zip_longest
from zoneinfo import ZoneInfo

import streamlit as st

from coach_agent.domain.days import local_date, monday_of
from coach_agent.domain.plan import DoneSet, SlotPrescription
from coach_agent.domain.red_flags import stop_text
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.plan_texts import reasons, set_mark
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.journal.current_plans import PlanReport
from coach_agent.language.messages import DEFAULT, capitalise, in_language, phrase
from coach_agent.planning.meet import meet_day_text
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.season import phase_on
from coach_agent.sessions.catalogue import SessionsError, all_sessions, bundled_sessions
from dashboard.forms import offer_check_in, offer_decisions, offer_next_plan, offer_profile
from dashboard.markup import Html, element, join, show_markup, whole_parts
from dashboard.page import Page
from dashboard.tables import show_table
from dashboard.wording import chance_text, moment_text, near_day_text, plain, season_lines
from orchestration.services.briefing.readiness import readiness_of
from orchestration.services.briefing.sessions import FACTS_OF_ONE, sessions_of_day
from orchestration.text.plan import (
    comment_label,
    label_comment,
    last_workout_text,
    shared_adjustments,
    state_words,
)
from orchestration.text.readiness import Readiness, readiness_lines
from orchestration.text.rejection import rejection_text
from orchestration.text.sets import (
    change_text,
    done_notation,
    forecasts,
    set_groups,
    superset_text,
    target_notation,
)
from orchestration.text.training_age import stale_training
from orchestration.text.wording import ARROWS, change_place
from orchestration.text.wording import change_text as hevy_change_text

_MARKS = {"waiting": "⏳", "published": "✓", "unchanged": "✓", "conflict": "⚠", "failed": "⚠"}
_LEGEND = {"W": "legend-warmup", "D": "legend-dropset", "F": "legend-failure"}
_EASY_WEEKS_AHEAD = 12

READINESS = """
    select * from fct_readiness_day
    where athlete_id = $1 and readiness_date between $2::date - 1 and $2::date
    order by readiness_date desc limit 1
"""


def show(page: Page) -> None:
    """Draw the next workout, or the reason why there is none, and what is coming up.

    Texts about training are in the athlete's language; buttons and forms are English.
    """
    with in_language(page.profile.preferences.language if page.profile else DEFAULT):
        _show(page)


def _show(page: Page) -> None:
    report = page.plan
    if report is None:
        _show_missing(page)
        return
    plan = report.plan
    st.title(plain(plan.routine_title))
    _show_circumstances(page, report)
    mode = "preview" if page.profile is None else page.profile.publish.mode
    offer_decisions(page.settings, page.athlete_id, report, mode, has_published=page.has_published)
    show_markup(workout_markup(report, page.unit, page.zone.key, page.today))
    _show_comment(report)
    _show_upcoming(page, report)
    offer_check_in(page.settings, page.athlete_id)
    if page.profile is not None:
        offer_profile(page.settings, page.profile)
    _show_changes(report, page)
    _show_notes(page, report)


def _show_missing(page: Page) -> None:
    st.title("Today")
    if codes := page.red_flags:
        st.error(stop_text(codes))
        offer_check_in(page.settings, page.athlete_id, has_red_flag=True)
        return
    if page.profile is not None and (text := meet_day_text(page.profile, page.today)):
        st.info(f"{plain(text)} `spotter plan show` lists the attempts of a meet day.")
        return
    st.info(
        "No plan yet. Your next workout shows here after the first night with a routine in Hevy "
        "or an imported file; `spotter plan show` names what is missing."
    )
    offer_next_plan(page.settings, page.athlete_id)
    _show_upcoming(page, None)


def _show_circumstances(page: Page, report: PlanReport) -> None:
    about = capitalise(phrase("plan-of", athlete=page.name))
    if report.plan.minutes is not None:
        minutes = round(report.plan.minutes.minutes)
        about = capitalise(phrase("plan-of-minutes", athlete=page.name, minutes=minutes))
    state = report.publication_state
    # The commands in these texts are buttons here.
    words = state_words(state, page.profile).split(": spotter")[0]
    mark = _MARKS.get(state or "")
    line = f"{about} · {words}" if mark is None else f"{about} · {mark} {words}"
    show_markup(element("p", line, class_="meta"))


def workout_markup(report: PlanReport, unit: Unit, zone: str, today: date) -> Html:
    """Build the list of exercises, each with its sets, last time and change; details on request."""
    above = set(shared_adjustments(report.plan))
    lifts = [_lift(slot, report, unit, zone, today, above) for slot in report.plan.slots]
    groups = [group for slot in report.plan.slots for group in set_groups(slot, unit)]
    marks = {group.mark for group in groups}
    legend = [
        phrase(message)
        for mark, message in (
            ("W", "legend-warmup"),
            ("D", "legend-dropset"),
            ("F", "legend-failure"),
        )
        if mark in marks
    ]
    if any(group.chance is not None for group in groups):
        legend.append(phrase("chances").rstrip("."))
    decided = moment_text(report.decided_at, ZoneInfo(zone))
    legend.append(phrase("legend-decided", moment=decided))
    return join(
        element("div", *lifts, class_="lifts"),
        element("p", " · ".join(legend), class_="quiet"),
    )


def _lift(
    slot: SlotPrescription,
    report: PlanReport,
    unit: Unit,
    zone: str,
    today: date,
    shared_lines: set[str],
) -> Html:
    superset = superset_text(slot, report.plan.slots)
    title = f"{slot.exercise_index + 1}. {slot.exercise_title}" + (superset and f" · {superset}")
    change = f"{ARROWS[slot.direction]} {change_text(slot, unit)}"
    lines = [
        element(
            "span",
            element("span", f"{group.mark} {group.text}".strip()),
            element("span", "" if group.chance is None else f"{group.chance:.0%}", class_="chance"),
            class_="sets warm" if group.mark == "W" else "sets",
        )
        for group in set_groups(slot, unit)
    ]
    if not lines:
        missing = (
            phrase("left-out-this-time") if slot.is_left_out else capitalise(phrase("no-sets"))
        )
        lines = [element("span", missing, class_="sets")]
    done = [each for each in slot.last_done if each.set_type in WORKING_TYPES]
    last = phrase("first-time")
    if done:
        last = f"{phrase('last')}: {done_notation(done, unit, slot.exercise_type)}"
        if slot.last_done_at is not None:
            day = near_day_text(local_date(slot.last_done_at, zone), today)
            last = f"{day}: {done_notation(done, unit, slot.exercise_type)}"
    head = element(
        "span",
        element("h2", title),
        element("span", change, class_="change"),
        class_="head",
    )
    return element(
        "details",
        element("summary", head, *lines, element("span", whole_parts(last), class_="last")),
        element("div", *_details(slot, report, unit, shared_lines), class_="more"),
        class_=f"lift {slot.direction}",
    )


def _details(
    slot: SlotPrescription, report: PlanReport, unit: Unit, shared_lines: set[str]
) -> Iterator[Html]:
    """Yield the sets next to the last ones with their chances, the reasons, and the rest."""
    if rows := set_rows(slot, unit):
        yield table_markup(rows)
    for line in reasons(slot, unit):
        if line not in shared_lines:
            yield element("p", line)
    if slot.note:
        yield element("p", element("em", slot.note.strip()))
    if slot.stall is not None:
        subject = slot.exercise_template_id
        reason = label_comment(slot.stall.reason, report.remarks, "stall", subject)
        yield element("p", f"{reason} {slot.stall.suggested_fix}")
    rest_s = slot.advised_rest_s if slot.rest_s is None else slot.rest_s
    if rest_s is not None:
        yield element("p", phrase("rest-seconds", seconds=rest_s))


def table_markup(rows: Sequence[dict[str, str]]) -> Html:
    """Build a table with the headings of the first row."""
    heads = [element("th", name, scope="col") for name in rows[0]]
    body = [element("tr", *(element("td", cell) for cell in row.values())) for row in rows]
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *body))
    return element("div", table, class_="scroll")


def set_rows(slot: SlotPrescription, unit: Unit) -> list[dict[str, str]]:
    """Build a row per set, next to last time, `no set` if one has fewer; warm-ups face warm-ups.

    An exercise without history has no values for last time.
    """
    return [*_paired(slot, unit, is_warmup=True), *_paired(slot, unit, is_warmup=False)]


def _paired(slot: SlotPrescription, unit: Unit, *, is_warmup: bool) -> Iterator[dict[str, str]]:
    targets = [
        (target, prediction)
        for target, prediction in zip(slot.sets, forecasts(slot), strict=True)
        if (target.set_type == "warmup") == is_warmup
    ]
    done = _of_kind(slot.last_done, is_warmup=is_warmup)
    no_set = phrase("no-set")
    none_before = no_set if slot.last_done else ""
    for place, (planned, before) in enumerate(zip_longest(targets, done), start=1):
        target, prediction = planned or (None, None)
        set_type = target.set_type if target is not None else before.set_type if before else ""
        kind = slot.exercise_type
        yield {
            phrase("column-set"): f"{place}{set_mark(set_type)}",
            phrase("column-next"): no_set
            if target is None
            else target_notation(target, unit, kind),
            phrase("column-chance"): chance_text(prediction),
            phrase("column-last"): none_before
            if before is None
            else done_notation([before], unit, kind),
        }


def _of_kind(done: Sequence[DoneSet], *, is_warmup: bool) -> list[DoneSet]:
    return [each for each in done if (each.set_type == "warmup") == is_warmup]


def _show_comment(report: PlanReport) -> None:
    plan = report.plan
    if plan.words is not None:
        if plan.words.texts:
            st.markdown(f"**{comment_label()}:** {plain(' '.join(plan.words.texts))}")
        st.caption(phrase("chosen-by", model=plain(plan.words.decided_by)))
    elif last := last_workout_text(plan):
        st.markdown(plain(label_comment(last, report.remarks, "insight", "")))


def _show_upcoming(page: Page, report: PlanReport | None) -> None:
    st.header(phrase("upcoming"))
    items = [
        element("li", element("strong", name), f" {text}") for name, text in _upcoming(page, report)
    ]
    show_markup(element("ul", *items, class_="facts"))


def _upcoming(page: Page, report: PlanReport | None) -> Iterator[tuple[str, str]]:
    """Yield name and text: event, block, easy week and recovery."""
    profile = page.profile
    if profile is not None:
        yield from season_lines(profile, page.today)
        if profile.goal.date is None and not profile.season.phases:
            yield capitalise(phrase("event-name")), phrase("event-none")
        if (monday := next_easy_week(profile, page.today)) is not None:
            day = near_day_text(monday, page.today)
            yield phrase("easy-week"), phrase("from-day", day=day)
    if report is not None and report.plan.block is not None:
        yield phrase("programme"), report.plan.block.text
    if report is not None and report.plan.deload is not None:
        yield phrase("easy-workout"), phrase(f"deload-{report.plan.deload.replace('_', '-')}")
    readiness = _readiness(page)
    yield from _recovery(page, readiness)
    yield from _sessions(page, report, readiness)


def next_easy_week(profile: AthleteProfile, today: date) -> date | None:
    """Return the Monday of the next planned easy week after this one; None without one."""
    mondays = (
        monday_of(today) + timedelta(weeks=ahead_weeks)
        for ahead_weeks in range(1, _EASY_WEEKS_AHEAD + 1)
    )
    return next((day for day in mondays if phase_on(profile.season, day).is_deload), None)


def _readiness(page: Page) -> Readiness | None:
    """Return the recovery of today or yesterday; None without one, or where it is not shown."""
    if page.profile is not None and not page.profile.recovery.show:
        return None
    found = page.rows_of("fct_readiness_day", READINESS, page.today.isoformat())
    return readiness_of(found[0]) if found else None


def _recovery(page: Page, readiness: Readiness | None) -> Iterator[tuple[str, str]]:
    if page.profile is not None and not page.profile.recovery.show:
        return
    if readiness is not None:
        is_adjusting = page.profile is not None and page.profile.recovery.is_adjusting
        yield from readiness_lines(readiness, page.today, is_adjusting=is_adjusting)
    else:
        yield phrase("recovery"), phrase("recovery-missing")


def _sessions(
    page: Page, report: PlanReport | None, readiness: Readiness | None
) -> Iterator[tuple[str, str]]:
    """Yield the sessions besides lifting that fit today."""
    if page.profile is None:
        return
    try:
        sessions = all_sessions(page.settings.session_files)
    except SessionsError as error:
        sessions = bundled_sessions()
        if page.sees_all:
            yield phrase("brief-besides"), str(error)
    facts = page.rows_of("bridge_exercise_muscle", FACTS_OF_ONE, page.today.isoformat())
    if not facts:
        return
    plan = None if report is None else report.plan
    for each in sessions_of_day(page.profile, plan, facts[0], page.today, sessions, readiness):
        yield phrase("brief-besides"), f"{each.session.name}, {each.text}"


def _show_changes(report: PlanReport, page: Page) -> None:
    if not report.changes:
        return
    is_done = report.publication_state in {"published", "unchanged"}
    label = "What changed in Hevy" if is_done else "What it would change in Hevy"
    with st.expander(f"{label} ({len(report.changes)})"):
        show_table(
            [
                {
                    "Exercise": change.exercise_title,
                    "Set": change_place(change),
                    "Change": hevy_change_text(change, page.unit),
                }
                for change in report.changes
            ]
        )


def _show_notes(page: Page, report: PlanReport) -> None:
    """Draw all warnings as one line, which opens to the texts."""
    texts = [*shared_adjustments(report.plan), *(each.text for each in report.plan.advice)]
    if page.profile is not None:
        texts.append(stale_training(page.profile, report, page.today))
        texts.append(rejection_text(report, page.profile))
    notes = [text for text in texts if text]
    if not notes:
        return
    label = phrase("notes-on-plan", count=len(notes))
    items = element("ul", *(element("li", text) for text in notes))
    show_markup(element("details", element("summary", f"⚠ {label}"), items, class_="notes"))
