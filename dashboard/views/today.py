"""Today: the next workout, set by set with the last time, and the reasons."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import streamlit as st

from coach_agent.domain.plan import DoneSet, SlotPrescription
from coach_agent.domain.red_flags import stop_text
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.plan_texts import done_text, reasons, set_mark, target_text
from coach_agent.journal.decisions import PlanReport
from coach_agent.planning.meet import meet_day_text
from coach_agent.planning.rotation import local_date
from coach_agent.store.comments import CommentAuthor
from dashboard.forms import offer_check_in, offer_decisions, offer_next_plan, offer_profile
from dashboard.page import Page
from dashboard.tables import show_table
from dashboard.wording import chance_text, moment_text, plain, unbroken
from orchestration.services.brief import ahead
from orchestration.text.plan import (
    COMMENT,
    label_comment,
    last_workout_text,
    shared_adjustments,
    state_words,
)
from orchestration.text.rejection import rejection_text
from orchestration.text.training_age import stale_training
from orchestration.text.wording import ARROWS, change_place, change_text

NO_SET = "no set"
_MARKS = {"waiting": "⏳", "published": "✓", "unchanged": "✓", "conflict": "⚠", "failed": "⚠"}


def show(page: Page) -> None:
    """Draw the next workout, or the reason why there is none."""
    report = page.plan
    if report is None:
        st.title("Today")
        if codes := page.red_flags:
            st.error(stop_text(codes))
            offer_check_in(page.settings, page.athlete_id)
            return
        today = local_date(page.now, page.zone.key)
        if page.profile is not None and (text := meet_day_text(page.profile, today)):
            st.info(f"{plain(text)} `spotter plan show` lists the attempts of a meet day.")
            return
        st.info(
            "There is no plan yet. A plan needs a routine in Hevy and a finished night; "
            "`spotter plan show` says what is missing."
        )
        offer_next_plan(page.settings, page.athlete_id)
        return
    plan = report.plan
    if page.profile is not None:
        today = local_date(page.now, page.zone.key)
        if stale := stale_training(page.profile, report, today):
            st.warning(plain(stale))
    st.title(plain(plan.routine_title))
    _show_circumstances(page, report)
    mode = "preview" if page.profile is None else page.profile.publish.mode
    offer_decisions(page.settings, page.athlete_id, report, mode)
    offer_check_in(page.settings, page.athlete_id)
    if page.profile is not None:
        offer_profile(page.settings, page.profile)
    if page.profile is not None and (rejected := rejection_text(report, page.profile)):
        st.warning(plain(rejected))
    if plan.words is not None:
        if plan.words.texts:
            st.markdown(f"**{COMMENT}:** {plain(' '.join(plan.words.texts))}")
        st.caption(f"Chosen within the rules' limits by {plain(plan.words.decided_by)}.")
    elif told := last_workout_text(plan):
        st.markdown(plain(label_comment(told, report.remarks, "insight", "")))
    above = shared_adjustments(plan)
    for line in (*above, *(advice.text for advice in plan.advice)):
        st.warning(plain(line))
    for slot in plan.slots:
        _show_slot(slot, page.unit, set(above), report.remarks)
    st.caption(
        "Chance: how likely the set reaches its target, of a range the lower end; in brackets the "
        "repetitions to expect, with 80 % confidence. W: warm-up, D: drop set, F: until failure."
    )
    _show_changes(report, page)


def _show_circumstances(page: Page, report: PlanReport) -> None:
    about = [f"Next workout of {plain(page.name)}"]
    if report.plan.minutes is not None:
        about.append(f"about {report.plan.minutes.minutes:.0f} min")
    st.markdown(", ".join(about))
    state = report.publication_state
    # The commands in these texts are buttons here.
    words = state_words(state, page.profile).split(": spotter")[0]
    decided = moment_text(report.decided_at, page.zone)
    st.caption(f"{_MARKS.get(state or '', '•')} {words} · decided {decided}")
    if page.profile is not None:
        for item in ahead(page.profile, local_date(page.now, page.zone.key)):
            name = f"**{plain(item.name)}** " if item.name else ""
            st.markdown(f"{name}{plain(item.text)}")


def _show_slot(
    slot: SlotPrescription, unit: Unit, told_above: set[str], remarks: Sequence[CommentAuthor]
) -> None:
    arrow = ARROWS[slot.direction][0]
    superset = "" if slot.superset_id is None else f" · superset {slot.superset_id + 1}"
    with st.container(border=True):
        st.subheader(f"{arrow} {slot.exercise_index + 1}. {plain(slot.exercise_title)}{superset}")
        if rows := set_rows(slot, unit):
            show_table(rows)
        else:
            st.markdown("Left out this time." if slot.is_left_out else "No sets.")
        for line in reasons(slot, unit):
            if line not in told_above:
                st.markdown(plain(line))
        if slot.note:
            st.markdown(f"_{plain(slot.note.strip())}_")
        if slot.stall is not None:
            subject = slot.exercise_template_id
            reason = label_comment(slot.stall.reason, remarks, "stall", subject)
            st.markdown(plain(f"{reason} {slot.stall.suggested_fix}"))


def set_rows(slot: SlotPrescription, unit: Unit) -> list[dict[str, str]]:
    """Build a row per set, next to last time, `NO_SET` if one has fewer; warm-ups face warm-ups.

    An exercise without history has no values for last time.
    """
    return [*_paired(slot, unit, is_warmup=True), *_paired(slot, unit, is_warmup=False)]


def _paired(slot: SlotPrescription, unit: Unit, *, is_warmup: bool) -> Iterator[dict[str, str]]:
    predictions = slot.predictions or (None,) * len(slot.sets)
    targets = [
        (target, prediction)
        for target, prediction in zip(slot.sets, predictions, strict=True)
        if (target.set_type == "warmup") == is_warmup
    ]
    done = _of_kind(slot.last_done, is_warmup=is_warmup)
    none_before = NO_SET if slot.last_done else ""
    for place, (planned, before) in enumerate(zip_longest(targets, done), start=1):
        target, prediction = planned or (None, None)
        set_type = target.set_type if target is not None else before.set_type if before else ""
        yield {
            "Set": f"{place}{set_mark(set_type)}",
            "Next": NO_SET
            if target is None
            else unbroken(target_text(target, unit, slot.exercise_type)),
            "Chance": unbroken(chance_text(prediction)),
            "Last time": none_before
            if before is None
            else done_text(before, unit, slot.exercise_type),
        }


def _of_kind(done: Sequence[DoneSet], *, is_warmup: bool) -> list[DoneSet]:
    return [each for each in done if (each.set_type == "warmup") == is_warmup]


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
                    "Change": change_text(change, page.unit),
                }
                for change in report.changes
            ]
        )
