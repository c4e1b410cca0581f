"""Compliance, load, the coach and all athletes equal SQL on the release."""

import json
import shutil
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from coach_agent.programmes.week_findings import (
    Finding,
    FollowedWeek,
    MuscleWeekEffect,
    WeekCheck,
    WeekOutline,
)
from dashboard.app import PAGES
from dashboard.views import coach, data, history, progress
from dashboard.views.athletes import athlete_row
from dashboard.views.history import status_text
from tests.end_to_end.filled_dashboard import add_athlete
from tests.end_to_end.test_dashboard import (
    PATIENCE_S,
    everything_told,
    live_in,
    markup_of,
    opened,
    texts_of,
)
from tests.end_to_end.world import Home

FOLLOWED = FollowedWeek(
    title="Upper and lower",
    start=date(2026, 2, 22),
    weeks=(
        WeekOutline(phase="accumulate", sets=38, least_reserve=3, most_reserve=3),
        WeekOutline(phase="intensify", sets=40, least_reserve=2, most_reserve=2),
        WeekOutline(phase="deload", sets=20, least_reserve=None, most_reserve=None, load_ratio=0.9),
    ),
    cycle_from=None,
    is_over=False,
    check=WeekCheck(
        programme="Upper and lower",
        week=2,
        weeks=3,
        begins=date(2026, 3, 1),
        ends=date(2026, 3, 7),
        verdict="caution",
        done=("Upper A",),
        remaining=("Lower A", "Upper B"),
        findings=(
            Finding(
                kind="removed",
                verdict="caution",
                subject="Squat",
                text="Lower A: Squat is missing.",
                action="merge",
            ),
        ),
        muscles=(
            MuscleWeekEffect(
                muscle="chest",
                planned=10,
                done=4,
                expected=9.5,
                low=10,
                high=18,
                verdict="caution",
            ),
            MuscleWeekEffect(
                muscle="back", planned=12, done=5, expected=12, low=10, high=18, verdict="fine"
            ),
        ),
    ),
)


def follow_in_release(folder: Path, followed: FollowedWeek) -> None:
    file = (folder / "programmes.json").resolve()
    file.chmod(0o644)
    file.write_text(json.dumps({"demo": followed.model_dump(mode="json")}))
    st.cache_data.clear()


def pressed(app: AppTest, label: str) -> None:
    [button] = [each for each in app.button if each.label == label]
    button.click().run()
    assert not app.exception


@pytest.fixture
def home(dashboard_home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    live_in(dashboard_home, monkeypatch)
    return dashboard_home


def copied(home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Copy a release and its athletes, for changes."""
    other = Home(folder, "http://127.0.0.1:9")
    shutil.copytree(home.folder / "home" / "release", folder / "home" / "release", symlinks=True)
    shutil.copytree(home.athletes, other.athletes)
    live_in(other, monkeypatch)
    return other


def test_compliance_shows_each_set_of_the_latest_workout(home: Home) -> None:
    [(workout,)] = home.query(
        """
        select workout_id from fct_plan_compliance where is_plan_known
        order by started_at desc limit 1
        """,
        home.release,
    )
    app = opened("History", workout=workout)
    expected = home.query(
        f"""
        select execution_status, count(*) from fct_plan_compliance
        where workout_id = '{workout}' group by all order by all
        """,
        home.release,
    )
    shown = [
        row for table in app.table if "How" in table.value for row in table.value.to_dict("records")
    ]
    counted = Counter(row["How"] for row in shown)
    wanted: Counter[str] = Counter()
    for status, count in expected:
        wanted[status_text(status)] += count
    assert counted == wanted
    assert counted["skipped"] > 0
    assert counted["less: lighter"] > 0
    assert {row["Done"] for row in shown if row["How"] == "skipped"} == {""}
    weeks = opened("Progress", part="Plan").dataframe[0].value
    adherence = home.query(
        """
        select round(100 * adherence, 1) from fct_consistency_week
        where adherence is not null order by week_start_date
        """,
        home.release,
    )
    assert [(each,) for each in weeks["as planned (%)"]] == adherence[-12:]


def test_the_followed_programme_shows_its_week_and_its_check(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "spotter program new" in everything_told(opened("Progress", part="Plan"))
    other = copied(home, tmp_path, monkeypatch)
    folder = other.release.parent / "current"
    # The first and the last day may be a midnight away from those of the page.
    today = datetime.now(UTC).date()
    running = {"begins": today - timedelta(days=3), "ends": today + timedelta(days=3)}
    check = FOLLOWED.check
    assert check is not None
    this_week = check.model_copy(update=running)
    follow_in_release(folder, FOLLOWED.model_copy(update={"check": this_week}))
    app = opened("Progress", part="Plan")
    shown = markup_of(app)
    assert app.header[0].value == "Upper and lower"
    facts = texts_of(shown, "li")
    assert facts[0].startswith("Week 2 of 3, ")
    assert facts[0].endswith("Harder week, 40 sets. Leave 2 reps in the tank on each set.")
    assert facts[1:3] == ["Done Upper A", "To do Lower A, Upper B"]
    assert "⚠ Caution Lower A: Squat is missing. (merge)" in facts
    assert facts[-3:] == [
        "1. build-up week, 38 sets, 3 in reserve",
        "2. harder week, 40 sets, 2 in reserve, now",
        "3. easy week, 20 sets",
    ]
    assert shown.count('aria-current="step"') == 1
    [muscles] = [each.value for each in app.table if "Range" in each.value]
    assert muscles.to_numpy().tolist() == [
        ["Chest", "4", "9.5", "10", "10 to 18, caution"],
        ["Back", "5", "12", "12", "10 to 18"],
    ]

    ahead = FOLLOWED.model_copy(update={"check": None, "start": today + timedelta(days=9)})
    for followed, place, words in (
        (FOLLOWED, 1, "This week is over; the next one shows after the next run."),
        (ahead.model_copy(update={"is_over": True}), 0, "All weeks are done."),
        (ahead, 0, "Begins "),
    ):
        follow_in_release(folder, followed)
        facts = texts_of(markup_of(opened("Progress", part="Plan")), "li")
        assert facts[place].startswith(words)

    flags = (folder / "red_flags.json").resolve()
    flags.chmod(0o644)
    flags.write_text('{"demo": ["chest"]}')
    follow_in_release(folder, FOLLOWED)
    app = opened("Progress", part="Plan")
    assert len(app.error) == 1
    assert "Upper and lower" not in [each.value for each in app.header]


def test_the_calendar_turns_back_to_the_first_workout_and_forth(home: Home) -> None:
    app = opened("History")
    [(weeks,)] = home.query(
        "select date_diff('week', min(workout_date), max(workout_date)) from fct_workout",
        home.release,
    )
    turns = 0
    while "Earlier" in {each.label for each in app.button}:
        pressed(app, "Earlier")
        turns += 1
    assert weeks // 8 <= turns <= weeks // 8 + 1
    for _ in range(turns):
        pressed(app, "Later")
    assert "Later" not in {each.label for each in app.button}


def test_load_equals_what_sql_says_and_is_for_display_only(home: Home) -> None:
    app = opened("Progress", part="Load")
    assert "For display only" in app.info[0].value
    shown = app.dataframe[0].value
    expected = home.query(
        """
        select round(training_load, 1), round(ctl, 2), round(atl, 2), round(tsb, 2)
        from fct_training_load_day
        where date_day <= (
            select max(date_day) + 14 from fct_training_load_day where training_load > 0
        )
        order by date_day
        """,
        home.release,
    )[-120:]
    assert {load for load, *_ in expected} > {0.0}
    columns = ["load", "fitness (CTL)", "fatigue (ATL)", "balance (TSB)"]
    assert list(shown[columns].itertuples(index=False, name=None)) == expected
    weeks = app.table[0].value
    loads = home.query(
        """
        select weekly_load from fct_training_load_day
        where weekly_load is not null and isodow(date_day) = 7 and week_start_date <= (
            select max(date_day) from fct_training_load_day where training_load > 0
        )
        order by date_day desc limit 8
        """,
        home.release,
    )
    assert [(float(each),) for each in weeks["Load"]] == loads
    assert "Nothing has been trained since Wed 4 Mar 2026." in everything_told(app)
    assert "Nothing so far. Check in on the page Today" in everything_told(app)


@pytest.mark.parametrize(
    ("unknown_day", "unit"), [(27, "in hard sets a day"), (28, "in session RPE × minutes a day")]
)
def test_load_is_of_session_rpe_where_four_weeks_are_known(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unknown_day: int, unit: str
) -> None:
    """A day without a load is in the chart, if it is older than four weeks."""
    other = copied(home, tmp_path, monkeypatch)
    with duckdb.connect(other.release) as con:
        con.execute(
            """
            insert into fct_training_load_day
            select * replace (
                'srpe' as load_method,
                training_load_day_key || 'srpe' as training_load_day_key,
                if(
                    date_day = max(date_day) filter (where workout_count > 0) over () - $1::integer,
                    null,
                    50 * training_load
                ) as training_load
            )
            from fct_training_load_day
            """,
            [unknown_day],
        )
    app = opened("Progress", part="Load")
    assert not app.exception
    assert unit in everything_told(app)
    assert app.dataframe[0].value["load"].isna().sum() == (unknown_day == 28)


def test_load_tells_what_was_said_before_training(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = copied(home, tmp_path, monkeypatch)
    with duckdb.connect(other.release) as con:
        con.execute(
            """
            insert into fct_check_in by name
            select
                'x' as check_in_key, 'x' as check_in_id, athlete_id,
                timestamp '2026-03-04 20:00' as checked_in_at,
                date '2026-03-04' as check_in_date, 1 as energy, 30 as available_minutes,
                'knee: mild' as pains
            from dim_athlete
            """
        )
    said = opened("Progress", part="Load").table[1].value
    assert said[["Energy", "Soreness", "Hurts"]].to_numpy().tolist() == [
        ["Very low", "", "knee: mild"]
    ]
    assert said["Minutes"].tolist() == [30]


@pytest.mark.long
def test_the_coach_tells_what_came_of_its_forecasts(
    dashboard_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = copied(dashboard_home, tmp_path, monkeypatch)
    with duckdb.connect(home.release) as con:
        con.execute("""
            update fct_prescription_outcome
            set
                outcome = case
                    when exercise_index = 0 then 'not_done'
                    when set_index % 3 = 0 then 'missed'
                    else 'hit'
                end,
                actual_reps = prescribed_reps + set_index - 1,
                reps_error = set_index - 1
            where prescribed_reps is not null and predicted_reps is not null;
            update fct_prescription_outcome set outcome = 'not_done' where outcome = 'pending';
        """)
    app = opened("Coach", part="Plans")
    [(error, covered, count)] = home.query(
        """
        select
            avg(abs(reps_error)),
            avg((actual_reps between predicted_reps_low and predicted_reps_high)::int),
            count(*)
        from fct_prescription_outcome
        where reps_error is not null and predicted_reps_low is not null
        """,
        home.release,
    )
    assert count > 0
    assert [metric.value for metric in app.metric] == [f"{error:.1f} reps", f"{covered:.0%}"]
    calibration, outcomes, decisions = (table.value for table in app.table)
    [(judged,)] = home.query(
        """
        select count(*) from fct_prescription_outcome
        where
            predicted_success_probability is not null
            and outcome in ('hit', 'exceeded', 'missed')
        """,
        home.release,
    )
    assert calibration["Sets"].sum() == judged > 0
    [(missed, not_done)] = home.query(
        """
        select
            count(*) filter (where outcome = 'missed'),
            count(*) filter (where outcome = 'not_done')
        from fct_prescription_outcome
        """,
        home.release,
    )
    assert (outcomes["Missed"].sum(), outcomes["Not done"].sum()) == (missed, not_done)
    known = home.query(
        """
        select count(*), count(*) filter (where outcome = 'hit') from fct_prescription_outcome
        group by decision_id, decided_at order by decided_at desc
        """,
        home.release,
    )
    assert list(zip(decisions["Sets"], decisions["Reached"], strict=True)) == [
        (sets, str(reached)) for sets, reached in known
    ]
    assert "No model is in use" in everything_told(opened("Coach", part="Model"))
    # Only the release of this home exists.
    pressed(app, "Replay")
    assert "spotter run" in app.error[0].value


@pytest.mark.long
def test_a_decision_is_explained_and_made_again_as_the_commands_do(home: Home) -> None:
    wide = Home(home.folder, home.hevy_url, {"COLUMNS": "4000"})
    plan_id = home.spotter_json("plan", "show")["plan_id"]
    expected = {}
    for command in (("explain", plan_id, "2"), ("replay", plan_id)):
        told = wide.spotter(*command)
        assert told.returncode == 0, told.stderr
        expected[command[0]] = [line.rstrip() for line in told.stdout.strip().splitlines()]
    assert any("Equal, byte for byte" in line for line in expected["replay"])
    app = opened("Coach", part="Plans")
    decision, exercise = app.selectbox
    assert decision.value == plan_id
    exercise.set_value(2).run()
    for button in ("Explain", "Replay"):
        pressed(app, button)
        assert app.code[0].value.splitlines() == expected[button.lower()]


def test_a_plan_lies_over_what_was_done_of_it(home: Home) -> None:
    planned = """
        select
            exercise_key, started_at, bool_and(is_met) as is_met,
            max(planned_weight_kg) as planned, max(weight_kg) as done
        from fct_plan_compliance
        where is_plan_known and set_class = 'working' and planned_set_type is not null
        group by all order by started_at
    """
    [(lighter,)] = home.query(
        f"select distinct exercise_key from ({planned}) where done < planned and not is_met",
        home.release,
    )
    expected = home.query(
        f"select planned, done, is_met from ({planned}) where exercise_key = '{lighter}'",
        home.release,
    )
    app = opened("Progress")
    app.selectbox[0].set_value(lighter).run()
    assert not app.exception
    shown = app.dataframe[1].value[["planned", "done"]]
    assert shown.to_numpy().tolist() == [[plan, done] for plan, done, _ in expected]
    met = [is_met for *_, is_met in expected if is_met is not None]
    assert f"In {sum(met)} of {len(met)} workouts" in everything_told(app)
    assert not all(met)


def test_who_needs_attention_comes_first_and_is_opened(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = copied(home, tmp_path, monkeypatch)
    with duckdb.connect(other.release) as con:
        add_athlete(con, "zoe", "Zoe", "Asia/Tokyo")
    app = opened("Athletes")
    shown = app.dataframe[0].value
    assert list(shown["Athlete"]) == ["Demo Athlete", "Zoe"]
    assert list(shown["Attention"])[1] == "never trained"
    assert "need attention" in everything_told(app)


@pytest.mark.parametrize(
    ("state", "away", "stalled", "urgency", "words"),
    [
        ("published", 2, 0, 0, ""),
        ("waiting", 2, 0, 2, "waits for approval"),
        ("conflict", 30, 0, 3, "the routine was edited, away for 30 days"),
        (None, 11, 0, 1, "away for 11 days"),
        ("published", 1, 3, 1, "3 stalled"),
        (None, None, 0, 1, "never trained"),
    ],
)
def test_what_needs_attention_is_said(
    state: str | None, away: int | None, stalled: int, urgency: int, words: str
) -> None:
    today = date(2026, 3, 4)
    row = athlete_row(
        {
            "athlete_id": "ann",
            "name": None,
            "last_trained": None if away is None else today - timedelta(days=away),
            "adherence": 0.876,
            "stalled_count": stalled,
        },
        state,
        today,
    )
    assert (row["urgency"], row["Attention"]) == (urgency, words)
    assert (row["Athlete"], row["As planned (%)"]) == ("ann", 88)


@pytest.mark.long
@pytest.mark.parametrize(
    ("page", "part", "words"),
    [
        ("Today", None, "No plan yet"),
        ("History", None, "No workout yet"),
        ("History", "Exercises", "No exercise yet"),
        ("History", "Body", "Shows after the first body weight"),
        ("Progress", None, "Nothing has been trained yet"),
        ("Progress", "Records", "No record yet"),
        ("Progress", "Plan", "Shows after the first workout with a plan"),
        ("Progress", "Muscles", "No hard set"),
        ("Progress", "Load", "Nothing has been trained yet"),
        ("Coach", "Plans", "No planned set"),
        ("Coach", "Model", "No model is in use"),
    ],
)
def test_before_any_training_a_page_says_so(
    page: str,
    part: str | None,
    words: str,
    home: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = copied(home, tmp_path, monkeypatch)
    with duckdb.connect(other.release) as con:
        con.execute("delete from dim_athlete")
        add_athlete(con, "zoe", "Zoe", "Asia/Tokyo")
    app = opened(page) if part is None else opened(page, part=part)
    told = everything_told(app) + "".join(each.value for each in app.info)
    assert words in told


def script_of(page: str, athlete_id: str) -> None:
    from dashboard.app import show_page
    from dashboard.logins import Login
    from dashboard.released import current_release
    from orchestration.config.settings import load_settings

    settings = load_settings()
    released = current_release(settings.release_folder)
    assert released is not None
    show_page(page, settings, released, Login(athlete_id))


PARTS = {
    "Coach": coach.PARTS,
    "History": history.PARTS,
    "Progress": progress.PARTS,
    "Data": (*data.PARTS, data.RUNS),
}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param(name, part, marks=pytest.mark.long if nth else ())
        for name in PAGES
        if name != "Athletes"
        for nth, part in enumerate(PARTS.get(name, ("",)))
    ],
)
def test_a_login_of_an_athlete_shows_no_other_athlete(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, part: str
) -> None:
    """Zoe has no training, so any exercise on her pages would be another athlete's."""
    other = copied(home, tmp_path, monkeypatch)
    with duckdb.connect(other.release) as con:
        add_athlete(con, "zoe", "Zoe", "Asia/Tokyo")
        rows = con.execute("select distinct exercise_title from fct_set").fetchall()
    app = AppTest.from_function(
        script_of, kwargs={"page": name, "athlete_id": "zoe"}, default_timeout=PATIENCE_S
    )
    if part:
        app.query_params["part"] = part
    # Another athlete's workout cannot be opened by its address.
    [foreign, *_] = home.query("select workout_id from fct_workout", home.release)
    app.query_params["workout"] = foreign[0]
    app.run()
    assert not app.exception
    assert "Athlete" not in {each.label for each in app.selectbox}, "nobody else to choose"
    assert not {"CSV", "Parquet"} & {each.label for each in app.get("download_button")}
    tables = [table.value.to_string() for table in [*app.table, *app.dataframe]]
    choices = [str(box.options) for box in app.selectbox]
    buttons = [str(button.label) for button in app.button]
    shown = "\n".join([everything_told(app), markup_of(app), *tables, *choices, *buttons])
    assert [text for text in ("Demo", *(title for (title,) in rows)) if text in shown] == []
