"""The dashboard: login, selection of athlete and unit, and page routing."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import streamlit as st

from coach_agent.domain.red_flags import LIMITS
from coach_agent.domain.units import Unit
from coach_agent.profile.model import AthleteProfile
from dashboard.logins import SEES_ALL, Login, ask_for_login
from dashboard.page import OPEN_ATHLETE, Page, Show
from dashboard.released import Released, Row, current_release
from dashboard.requests import show_request
from dashboard.runs import Run, recent_runs
from dashboard.states import show_age, show_first_steps
from dashboard.views import athletes, coach, data, history, progress, today
from dashboard.wording import distinct_names, natural_order, plain
from orchestration.config.athletes_table import all_profiles
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.server.dashboard import has_password, requires_password

PAGES: dict[str, Show] = {
    "Today": today.show,
    "History": history.show,
    "Progress": progress.show,
    "Coach": coach.show,
    "Data": data.show,
    "Athletes": athletes.show,
}
_ICONS = {
    "Today": "today",
    "History": "history",
    "Progress": "trending_up",
    "Coach": "sports",
    "Data": "database",
    "Athletes": "group",
}
_OF_SEVERAL = "Athletes"

_ATHLETES = """
    select athlete_id, name, timezone from dim_athlete order by athlete_id
"""
_ATHLETE = "athlete"  # key in the visitor's state
_STYLE = Path(__file__).with_name("style.css")
_UNITS: tuple[Unit, ...] = ("kg", "lb")


def main() -> None:
    """Draw the requested page if the visitor may see it."""
    st.set_page_config(page_title="Spotter", page_icon="🏋", layout="wide")
    st.html(_STYLE)
    settings = load_settings()
    login = _login(settings)
    if login is None:
        return
    released = current_release(settings.release_folder)
    if released is None:
        show_first_steps(settings, login.athlete_id)
        return
    pages = [
        st.Page(
            partial(show_page, name, settings, released, login),
            title=name,
            url_path=name.lower(),
            default=name == "Today",
        )
        for name in PAGES
        if name != _OF_SEVERAL or len(_athletes(released, login)) > 1
    ]
    # Streamlit's own bar is a closed menu on a phone.
    opened = st.navigation(pages, position="hidden")
    with st.container(key="navigation", horizontal=True):
        for page in pages:
            st.page_link(page, icon=f":material/{_ICONS[page.title]}:", width="stretch")
    opened.run()


def show_page(name: str, settings: Settings, released: Released, login: Login = SEES_ALL) -> None:
    """Draw one page of one release, for the selected athlete and unit."""
    now = datetime.now(UTC)
    page = _chosen(settings, released, login, now)
    if page is None:
        show_first_steps(settings, login.athlete_id)
        return
    # One fixed container per page part: contents that are filled in later stay there.
    with st.container():
        show_request(settings, page.athlete_id)
        show_age(released, released.age_s(now), _last_run(settings.dagster_url))
    PAGES[name](page)
    _offer_unit(page)
    st.caption(LIMITS)


def _login(settings: Settings) -> Login | None:
    """Return the login of this visitor; None before the login."""
    if not has_password(settings) and requires_password(st.get_option("server.address")):
        st.error("Set SPOTTER_DASHBOARD_PASSWORD: others can reach this page.")
        return None
    return ask_for_login(settings)


def _athletes(released: Released, login: Login) -> dict[str, Row]:
    """Return the athletes of the release that this visitor may see, by id."""
    rows = sorted(
        released.rows(_ATHLETES),
        key=lambda row: natural_order(row["name"] or row["athlete_id"]),
    )
    return {row["athlete_id"]: row for row in rows if login.may_see(row["athlete_id"])}


def _chosen(settings: Settings, released: Released, login: Login, now: datetime) -> Page | None:
    """Return the page for the selected athlete and unit; None without athletes in the release."""
    known = _athletes(released, login)
    if not known:
        return None
    athlete_id = next(iter(known))
    if len(known) > 1:
        if (opened := st.session_state.pop(OPEN_ATHLETE, None)) in known:
            st.session_state[_ATHLETE] = opened
        # A widget's own state is dropped with its page.
        kept = st.session_state.get(_ATHLETE, athlete_id)
        names = distinct_names(known.values())
        athlete_id = st.selectbox(
            "Athlete",
            list(known),
            index=list(known).index(kept) if kept in known else 0,
            format_func=names.__getitem__,
            label_visibility="collapsed",
        )
        st.session_state[_ATHLETE] = athlete_id
    plan = released.plan_of(athlete_id)
    own: Unit = "kg" if plan is None else plan.plan.load_unit
    athlete = known[athlete_id]
    return Page(
        settings=settings,
        released=released,
        athlete_id=athlete_id,
        name=athlete["name"] or athlete_id,
        zone=ZoneInfo(athlete["timezone"]),
        unit=st.session_state.get(_unit_key(athlete_id), own),
        profile=_profile_of(settings, athlete_id),
        now=now,
        sees_all=login.athlete_id is None,
    )


def _offer_unit(page: Page) -> None:
    """Draw the choice of the unit; the page is drawn again with another one."""
    chosen = st.segmented_control(
        "Unit", _UNITS, default=page.unit, required=True, key=f"unit choice of {page.athlete_id}"
    )
    if chosen is not None and chosen != page.unit:
        st.session_state[_unit_key(page.athlete_id)] = chosen
        st.rerun()


def _unit_key(athlete_id: str) -> str:
    return f"unit of {athlete_id}"


def _profile_of(settings: Settings, athlete_id: str) -> AthleteProfile | None:
    try:
        profiles, unusable = all_profiles(settings)
    except SettingsError as error:
        st.warning(plain(str(error)))
        return None
    if athlete_id in unusable:
        st.warning(plain(unusable[athlete_id]))
    return next((one for one in profiles if one.id == athlete_id), None)


@st.cache_data(ttl=20, show_spinner=False)
def _last_run(url: str) -> Run | None:
    """Return the run that ended or started last; None if Dagster is down or has no run."""
    runs = recent_runs(url)
    return runs[0] if runs else None


if __name__ == "__main__":
    main()
