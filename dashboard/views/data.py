"""Data: how fresh everything is, what was released, and what could not be read."""

import streamlit as st

from dashboard.page import Page
from dashboard.runs import recent_runs
from dashboard.wording import ago_text, moment_text

WORKOUTS = """
    select origin, count(*) as workouts, max(started_at) as latest
    from fct_workout where athlete_id = $1 group by origin order by origin
"""
_ORIGINS = {"api": "Hevy", "csv": "a file"}


def show(page: Page) -> None:
    """Of the release on this page, and of Dagster's last runs where it can be asked."""
    st.title("Data")
    manifest = page.released.manifest
    released, data = st.columns(2)
    released.metric("Released", ago_text(page.released.age_s(page.now)))
    until = manifest.data_until
    fresh = "no workout" if until is None else ago_text((page.now - until).total_seconds())
    data.metric("Latest workout", fresh)
    st.caption(
        f"Release {manifest.release_number} of {moment_text(manifest.released_at, page.zone)}, by "
        f"Spotter {manifest.spotter_version}."
    )
    st.subheader("Workouts by where they came from")
    st.table(
        [
            {"From": _ORIGINS.get(row["origin"], row["origin"]), "Workouts": row["workouts"]}
            for row in page.rows(WORKOUTS)
        ],
        border="horizontal",
        hide_index=True,
    )
    st.subheader("Last runs")
    _show_runs(page)
    with st.expander("Rows of each released table"):
        st.table(
            [{"Table": name, "Rows": f"{n:,}"} for name, n in manifest.row_counts.items()],
            border="horizontal",
            hide_index=True,
        )


def _show_runs(page: Page) -> None:
    url = page.settings.dagster_url
    runs = recent_runs(url)
    if runs is None:
        st.markdown(f"Dagster does not answer at {url}; `spotter dev` starts it.")
    elif not runs:
        st.markdown("There was no run yet.")
    else:
        st.table(
            [
                {
                    "Job": run.job,
                    "State": run.state,
                    "Began": "" if run.began_at is None else moment_text(run.began_at, page.zone),
                }
                for run in runs
            ],
            border="horizontal",
            hide_index=True,
        )
        st.markdown(f"[All of them in Dagster]({url}/runs)")
