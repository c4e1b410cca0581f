"""The followed programme: its week, what the check says about it, and the weeks of the block."""

from collections.abc import Iterator

import streamlit as st

from coach_agent.domain.red_flags import stop_text
from coach_agent.language.messages import phrase
from coach_agent.programmes.week_findings import FollowedWeek, WeekCheck
from dashboard.markup import Html, element, show_markup
from dashboard.page import Page
from dashboard.tables import show_table
from dashboard.wording import moment_text, near_day_text, plain, season_lines
from orchestration.text.measures import name_text
from orchestration.text.programme import (
    ACTIONS,
    AS_PLANNED,
    VERDICTS,
    demand_text,
    length_text,
    outline_text,
    range_text,
)

_MARKS = {"fine": "✓", "caution": "⚠", "advise_against": "✕"}


def show_programme(page: Page) -> None:
    """Draw the programme at the release, or the way to one, and the event and phase of the profile.

    An open red flag stops it, as it stops all plans.
    """
    if codes := page.red_flags:
        st.error(stop_text(codes))
        return
    found = page.released.programme_of(page.athlete_id)
    if found is None:
        st.header("Programme")
        st.markdown(
            "Your programme shows here, week by week, after the next run: build one with "
            "`spotter program new`, then begin it with `spotter program publish`."
        )
        _show_season(page)
        return
    st.header(plain(found.title))
    facts = [*_week_facts(found, page), *_season_facts(page, found)]
    show_markup(element("ul", *facts, class_="facts"))
    if found.check is not None:
        _show_findings(found.check)
    if len(found.weeks) > 1:
        _show_weeks(found)
    if found.check is not None:
        _show_muscles(found.check)
    st.caption(f"As of the last run, {moment_text(page.released.manifest.released_at, page.zone)}.")


def _week_facts(found: FollowedWeek, page: Page) -> Iterator[Html]:
    """Yield the present week: its place, its demand and its sessions; or why there is none."""
    check = found.check
    if check is None:
        length = length_text(len(found.weeks), found.cycle_from)
        text = f"Begins {near_day_text(found.start, page.today)}: {length}."
        if found.is_over:
            text = "All weeks are done. Build the next block: spotter program new"
        yield element("li", text)
        return
    place = phrase("block-place", week=check.week, weeks=check.weeks)
    if len(found.weeks) == 1:
        place = length_text(1, found.cycle_from).capitalize()
    days = f"{near_day_text(check.begins, page.today)} to {near_day_text(check.ends, page.today)}"
    demand = demand_text(found.weeks[check.week - 1])
    yield element(
        "li",
        element("strong", place),
        f", {days}",
        element("span", demand, class_="block"),
    )
    if check.ends < page.today:
        yield element("li", "This week is over; the next one shows after the next run.")
    yield element("li", element("strong", "Done"), f" {', '.join(check.done) or 'nothing yet'}")
    to_do = ", ".join(check.remaining) or "nothing more"
    yield element("li", element("strong", "To do"), f" {to_do}")


def _season_facts(page: Page, found: FollowedWeek | None = None) -> list[Html]:
    """Return the event, the phase and the easy week of the profile.

    A programme's easy weeks replace those of the profile.
    """
    if page.profile is None:
        return []
    lines = season_lines(page.profile, page.today)
    easy_week = phrase("easy-week") if found is not None and found.has_easy_weeks else None
    return [
        element("li", element("strong", name), f" {text}")
        for name, text in lines
        if name != easy_week
    ]


def _show_season(page: Page) -> None:
    st.header("Block")
    if facts := _season_facts(page):
        show_markup(element("ul", *facts, class_="facts"))
    else:
        st.markdown(
            "No event, phase or easy week is set. Set an event on the page Today under Goal and "
            "profile; docs/profile.md describes phases and easy weeks."
        )


def _show_findings(check: WeekCheck) -> None:
    st.header("This week's check")
    items = [
        element(
            "li",
            element("strong", f"{_MARKS[each.verdict]} {VERDICTS[each.verdict].capitalize()}"),
            f" {each.text} ({ACTIONS[each.action]})",
        )
        for each in check.findings
    ]
    show_markup(element("ul", *(items or [element("li", AS_PLANNED)]), class_="facts"))


def _show_weeks(found: FollowedWeek) -> None:
    """Draw a line per week; the present one is marked."""
    st.header("Weeks")
    now = None if found.check is None else found.check.week
    items = []
    for week, outline in enumerate(found.weeks, start=1):
        text = outline_text(outline)
        number = element("span", f"{week}.", class_="number")
        if week == now:
            marked = element("strong", f"{text}, now")
            items.append(element("li", number, " ", marked, aria_current="step"))
        else:
            items.append(element("li", number, " ", text))
    show_markup(element("ul", *items, class_="facts weeks"))
    if found.cycle_from is not None:
        again = "again" if found.cycle_from == 0 else f"again from week {found.cycle_from + 1}"
        st.caption(f"After week {len(found.weeks)} it goes on, {again}.")


def _show_muscles(check: WeekCheck) -> None:
    st.header("Hard sets of the week")
    st.caption("Done, expected by the end of the week, and planned; the range is for your goal.")
    show_table(
        [
            {
                "Muscle": name_text(each.muscle),
                "Done": f"{each.done:g}",
                "Expected": f"{each.expected:g}",
                "Planned": f"{each.planned:g}",
                "Range": range_text(each),
            }
            for each in check.muscles
        ]
    )
