"""Strength and volume as character charts."""

from datetime import UTC, date, datetime, timedelta

import duckdb
import pytest

from orchestration.services.planning.progress import progress_markdown, sparkline


@pytest.mark.parametrize(
    ("values", "line"),
    [([], ""), ([5], "▅"), ([3, 3, 3], "▅▅▅"), ([0, 7], "▁█"), ([100, 101, 102, 107], "▁▂▃█")],
)
def test_the_smallest_is_the_lowest(values: list[float], line: str) -> None:
    assert sparkline(values) == line


def trained(con: duckdb.DuckDBPyConnection, lifts: dict[str, list[float]]) -> None:
    """Land a session of each lift a week until 2 March 2026, of 1,000 kg in the first week."""
    con.execute("""
        create schema marts;
        create table marts.fct_exercise_session (
            athlete_id varchar, exercise_key varchar, exercise_title varchar, e1rm_kg double,
            started_at timestamp, workout_date date
        );
        create table marts.dim_exercise (athlete_id varchar, exercise_key varchar, title varchar);
        create table marts.fct_consistency_week (athlete_id varchar, week_start_date date);
        create table marts.fct_workout (
            athlete_id varchar, week_start_date date, volume_kg double
        );
    """)
    for title, maxima in lifts.items():
        con.execute("insert into marts.dim_exercise values ('a', $1, $1)", [title])
        for back, maximum in enumerate(reversed(maxima)):
            day = datetime(2026, 3, 2, 18, tzinfo=UTC).replace(tzinfo=None) - timedelta(weeks=back)
            con.execute(
                "insert into marts.fct_exercise_session values ('a', $1, $1, $2, $3, $3::date)",
                [title, maximum, day],
            )


def test_lifts_that_are_trained_most_come_first_with_their_change() -> None:
    with duckdb.connect() as con:
        trained(con, {"Curl": [20, 21], "Squat": [100, 105, 110], "Never": []})
        text = progress_markdown(con, "a", "kg")
    assert text.splitlines()[2:] == [
        "| Squat | 110 | ▁▅█ | +10.0% |",
        "| Curl | 21 | ▁█ | +5.0% |",
    ]


def test_only_the_last_twelve_workouts_are_drawn() -> None:
    with duckdb.connect() as con:
        trained(con, {"Squat": [float(100 + number) for number in range(20)]})
        row = progress_markdown(con, "a", "kg").splitlines()[2]
    # From the 9th of the twenty, 108 kg, to 119 kg.
    assert row == "| Squat | 119 | ▁▂▂▃▄▄▅▅▆▇▇█ | +10.2% |"


def test_a_week_without_a_workout_has_no_volume_also_after_the_last_one() -> None:
    with duckdb.connect() as con:
        trained(con, {})
        for monday, volume_kg in ((date(2026, 2, 9), 1000.0), (date(2026, 2, 23), 2000.0)):
            con.execute("insert into marts.fct_workout values ('a', $1, $2)", [monday, volume_kg])
        for week in range(4):
            monday = date(2026, 2, 9) + timedelta(weeks=week)
            con.execute("insert into marts.fct_consistency_week values ('a', $1)", [monday])
        text = progress_markdown(con, "a", "kg")
    assert "Volume of the last 4 weeks: ▅▁█▁ 0 to 2,000 kg, the last one 0 kg." in text


def test_a_renamed_lift_is_one_line_with_its_new_title() -> None:
    with duckdb.connect() as con:
        trained(con, {"Squat": [100, 110]})
        con.execute("update marts.fct_exercise_session set exercise_title = 'Old'")
        con.execute("update marts.dim_exercise set title = 'Back Squat'")
        assert "| Back Squat | 110 | ▁█ | +10.0% |" in progress_markdown(con, "a", "kg")


def test_who_trains_in_pounds_reads_pounds() -> None:
    with duckdb.connect() as con:
        trained(con, {"Squat": [61.235]})
        assert "| Squat | 135 | ▅ | +0.0% |" in progress_markdown(con, "a", "lb")


def test_before_the_first_workout_nothing_is_drawn() -> None:
    with duckdb.connect() as con:
        trained(con, {"Squat": [100]})
        assert progress_markdown(con, "nobody", "kg") == "Nothing is trained yet."
