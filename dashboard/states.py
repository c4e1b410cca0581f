"""Page states without data, or with stale data."""

import streamlit as st

from dashboard.forms import offer_import
from dashboard.released import Released
from dashboard.requests import show_request
from dashboard.runs import Run
from dashboard.wording import ago_text
from orchestration.config.settings import Settings

# A night, and half a day for a machine that slept.
STALE_AFTER_S = 36 * 3600.0

_FIRST_STEPS = """
No training yet. Your next workout shows here after one of these:

**A file** exported by Hevy, Strong or FitNotes, without any key: drop it below.

**Your Hevy account**, with a key of Hevy Pro from hevy.com/settings?developer: `spotter init`,
then `spotter run`.

**Just look**, with a simulated athlete and no key: `spotter dev --demo`.
"""


def show_first_steps(settings: Settings, athlete_id: str | None = None) -> None:
    """Draw the first steps for an athlete without data."""
    st.title("Welcome to Spotter")
    show_request(settings, athlete_id)
    st.markdown(_FIRST_STEPS)
    offer_import(settings, athlete_id)


def show_age(released: Released, age_s: float, last_run: Run | None) -> None:
    """Warn if the last run failed, or if the release is stale."""
    if last_run is not None and last_run.state == "failure":
        st.error(
            f"The last run of {last_run.job} failed. These data were released {ago_text(age_s)}. "
            "`spotter status` shows the reason."
        )
    elif age_s > STALE_AFTER_S:
        st.warning(
            f"These data were released {ago_text(age_s)}. `spotter run` updates them now, "
            "`spotter dev` every night."
        )
