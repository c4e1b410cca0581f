"""Data: freshness, rejected records, corrections, and downloads."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from coach_agent.store.corrections import Done
from dashboard.correction_forms import (
    forget_answer,
    offer_accept_aliases,
    offer_accept_sets,
    offer_corrections,
    read_on_request,
)
from dashboard.forms import offer_import
from dashboard.page import Page, choose_part
from dashboard.released import Row
from dashboard.runs import recent_runs
from dashboard.tables import show_table
from dashboard.wording import ago_text, moment_text
from orchestration.services.queries.sql_session import open_release
from orchestration.services.releases.export import HEVY_FILE, hevy_lines, parquet_file, table_lines
from orchestration.services.releases.release_contents import DATABASE_FILE
from orchestration.text.measures import day_text

WORKOUTS = """
    select origin, count(*) as workouts, max(started_at) as latest
    from fct_workout where athlete_id = $1 group by origin order by origin
"""
REJECTED = """
    select entity, source_line, origin, reason, rejected_at, count(*) over () as rejected_count
    from fct_quarantined_record where athlete_id = $1
    order by rejected_at desc, source_line, quarantined_record_key limit 50
"""
CORRECTED = """
    select
        action, workout_title, workout_date, exercise_title, weight_kg, reps, distance_m,
        duration_s, custom_metric, reason, corrected_at
    from fct_correction where athlete_id = $1 order by corrected_at desc, correction_key
"""
LATEST = """
    select workout_id, title, workout_date from fct_workout
    where athlete_id = $1 order by started_at desc, workout_id limit 50
"""
LEFT_OUT = """
    select workout_id, coalesce(any_value(workout_title), workout_id) as title,
        any_value(workout_date) as workout_date
    from fct_correction where athlete_id = $1 and action like '%_workout'
    group by workout_id
    having arg_max(action, corrected_at) = 'exclude_workout'
    order by workout_date desc
"""
DOUBTED_EXERCISES = """
    select exercise_key, any_value(title) as title, count(*) as set_count
    from fct_set
    inner join dim_exercise using (athlete_id, exercise_key)
    where athlete_id = $1 and is_typo_suspect and is_confirmed is null
    group by exercise_key order by set_count desc, title, exercise_key
"""
DOUBTED = """
    select
        set_key, exercise_title, workout_date, weight_kg, reps, distance_m, duration_s,
        custom_metric
    from fct_set where athlete_id = $1 and is_typo_suspect order by started_at desc, set_key
    limit 50
"""
_ORIGINS = {"api": "Hevy", "csv": "a file", "publication": "Hevy", "profile": "the profile"}
_ACTIONS = {
    "exclude_workout": "left out",
    "include_workout": "counts again",
    "accept_set": "right as it is",
    "doubt_set": "a typing error",
}


PARTS = ("Sources", "Fixes", "Names", "Files")
RUNS = "Runs"


def show(page: Page) -> None:
    """Draw the chosen part; runs and tables are of all athletes, for those who see all."""
    st.title("Data")
    match choose_part((*PARTS, RUNS) if page.sees_all else PARTS):
        case "Fixes":
            _show_doubted(page)
            _show_corrections(page)
            _offer_corrections(page)
        case "Names":
            _show_aliases(page)
        case "Files":
            st.header("Import a file")
            offer_import(page.settings, page.athlete_id)
            _show_files(page)
        case "Runs":
            _show_runs(page)
        case _:
            _show_sources(page)


def _show_sources(page: Page) -> None:
    """Draw the age of the data, its sources, and records that could not be read."""
    manifest = page.released.manifest
    origins = page.rows(WORKOUTS)
    latest = max((row["latest"].replace(tzinfo=UTC) for row in origins), default=None)
    fresh = "none yet" if latest is None else ago_text((page.now - latest).total_seconds())
    with st.container(horizontal=True):
        st.metric("Released", ago_text(page.released.age_s(page.now)), width="content")
        st.metric("Latest workout", fresh, width="content")
    st.caption(
        f"Release {manifest.release_number} of {moment_text(manifest.released_at, page.zone)}, by "
        f"Spotter {manifest.spotter_version}."
    )
    _show_origins(origins)
    _show_rejected(page)


def _show_origins(origins: Sequence[Row]) -> None:
    st.header("Workouts by source")
    if not origins:
        st.markdown("None yet.")
        return
    show_table(
        [
            {"From": _ORIGINS.get(row["origin"], row["origin"]), "Workouts": row["workouts"]}
            for row in origins
        ]
    )


def _show_rejected(page: Page) -> None:
    st.header("Records that could not be read")
    found = page.rows_of("fct_quarantined_record", REJECTED)
    if not found:
        st.markdown("None: all records were read.")
        return
    show_table(
        [
            {
                "What": row["entity"].removeprefix("hevy_").replace("_", " ").removesuffix("s"),
                "From": _ORIGINS.get(row["origin"], row["origin"]),
                "Why": row["reason"],
                "When": moment_text(row["rejected_at"].replace(tzinfo=UTC), page.zone),
            }
            for row in found
        ]
    )
    count = found[0]["rejected_count"]
    if count > len(found):
        st.caption(f"The latest {len(found)} of {count:,}.")
    st.markdown("Kept in `raw.quarantine`, and read once the source fixes them.")


def _show_doubted(page: Page) -> None:
    """Draw the sets that look mistyped by exercise, which one tap accepts together."""
    st.header("Sets that look mistyped")
    found = page.rows(DOUBTED_EXERCISES)
    if not found:
        st.markdown("None. Sets far off your usual loads or reps show here.")
        return
    total = sum(row["set_count"] for row in found)
    st.markdown(f"{total} {'set' if total == 1 else 'sets'} left out of records and plans.")
    offer_accept_sets(
        page.settings,
        page.athlete_id,
        {row["exercise_key"]: f"{row['title']}: {row['set_count']}" for row in found},
    )


def _show_aliases(page: Page) -> None:
    """Draw proposals for unknown exercise names, read by a command on request."""
    st.header("Exercise names")
    st.markdown("Names in your files that Hevy doesn't know can be joined with its exercises.")
    command = ("aliases", "list", f"--athlete={page.athlete_id}", "--json")
    found = read_on_request(page.settings, "Compare", command, page.released.manifest.run_id)
    if found is None:
        return
    proposals = found["proposals"]
    if not proposals:
        st.markdown("Hevy knows all names.")
        return
    show_table(
        [
            {"Name": one["title"], "Sets": one["set_count"], "Proposal": _proposal_text(one)}
            for one in proposals
        ]
    )
    if any(one["is_sure"] for one in proposals):
        offer_accept_aliases(
            page.settings,
            page.athlete_id,
            found["proposals_sha256"],
            partial(forget_answer, command),
        )


def _proposal_text(proposal: Mapping[str, Any]) -> str:
    exercise = proposal["exercise"] or ""
    return exercise if proposal["is_sure"] or not exercise else f"perhaps {exercise}"


def _show_corrections(page: Page) -> None:
    st.header("Your corrections")
    found = page.rows_of("fct_correction", CORRECTED)
    if not found:
        st.markdown("None yet.")
        return
    show_table([correction_row(row, page) for row in found])


def _offer_corrections(page: Page) -> None:
    offer_corrections(
        page.settings,
        page.athlete_id,
        counted={row["workout_id"]: _workout_text(row) for row in page.rows(LATEST)},
        left_out={
            row["workout_id"]: _workout_text(row)
            for row in page.rows_of("fct_correction", LEFT_OUT)
        },
        doubted={
            row["set_key"]: f"{day_text(row['workout_date'])}: {row['exercise_title']}, "
            f"{_done(row).text(page.unit)}"
            for row in page.rows(DOUBTED)
        },
    )


def _workout_text(row: Row) -> str:
    day, title = row["workout_date"], row["title"]
    return title if day is None else f"{day_text(day)}: {title}"


def _done(row: Row) -> Done:
    return Done(**{name: row[name] for name in Done.__dataclass_fields__})


def correction_row(row: Row, page: Page) -> dict[str, str]:
    """Build the row of a correction with its reason."""
    about = row["exercise_title"] or row["workout_title"] or "a deleted workout"
    if row["action"].endswith("_set"):
        about += f": {_done(row).text(page.unit)}"
    return {
        "What": about,
        "Of": "" if row["workout_date"] is None else day_text(row["workout_date"]),
        "Is": _ACTIONS[row["action"]],
        "Because": row["reason"],
    }


def _show_files(page: Page) -> None:
    st.header("Download")
    folder = page.released.folder
    st.download_button(
        "Download the sets as Hevy exports them",
        data=partial(hevy_file, folder, page.athlete_id),
        file_name=HEVY_FILE,
        mime="text/csv",
        on_click="ignore",
    )
    if not page.sees_all:
        return
    names = list(page.released.manifest.row_counts)
    name = st.selectbox("Table", names, index=names.index("fct_set") if "fct_set" in names else 0)
    with st.container(horizontal=True):
        st.download_button(
            "Download as CSV",
            data=partial(table_file, folder, name),
            file_name=f"{name}.csv",
            mime="text/csv",
            on_click="ignore",
        )
        st.download_button(
            "Download as Parquet",
            data=partial(Path.read_bytes, parquet_file(folder, name)),
            file_name=f"{name}.parquet",
            mime="application/vnd.apache.parquet",
            on_click="ignore",
        )
    st.markdown("Each table has the rows of all athletes. `spotter export` writes all tables.")


def hevy_file(folder: Path, athlete_id: str) -> str:
    """Return the athlete's sets of a release in the format of Hevy's export."""
    with open_release(folder / DATABASE_FILE) as con:
        return "".join(f"{line}\n" for line in hevy_lines(con, athlete_id))


def table_file(folder: Path, name: str) -> str:
    """Return a table of a release as CSV."""
    with open_release(folder / DATABASE_FILE) as con:
        return "".join(f"{line}\n" for line in table_lines(con, name))


def _show_runs(page: Page) -> None:
    """Draw Dagster's last runs if it answers, and the size of each released table."""
    st.header("Last runs")
    url = page.settings.dagster_url
    runs = recent_runs(url)
    if runs is None:
        how = "; `spotter dev` starts it" if page.settings.is_dagster_local else ""
        st.markdown(f"Dagster does not answer at {url}{how}.")
    elif not runs:
        st.markdown("No run yet.")
    else:
        show_table(
            [
                {
                    "Job": run.job,
                    "State": run.state,
                    "Began": "" if run.began_at is None else moment_text(run.began_at, page.zone),
                }
                for run in runs
            ]
        )
        if page.settings.is_dagster_local:
            st.markdown(f"[All of them in Dagster]({url}/runs)")
    st.header("Rows of each released table")
    counts = page.released.manifest.row_counts
    show_table([{"Table": name, "Rows": f"{n:,}"} for name, n in counts.items()])
