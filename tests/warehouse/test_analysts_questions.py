"""Every query of docs/analysts.md answers its question, every command of it runs."""

import json
import re
import shlex
import shutil
from datetime import date, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestration.cli.app import app
from orchestration.config.locations import CODE_ROOT
from orchestration.config.settings import SettingsError
from orchestration.services.queries.sql_session import open_release
from tests.warehouse.payloads import Json, naive
from tests.warehouse.prescriptions import ATHLETE as PRESCRIBED
from tests.warehouse.stories import MOVER, RESPONDER, SLEEPER, STEADY, USED

TEXT = (CODE_ROOT / "docs" / "analysts.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^### (\d+)\. .*?^```sql\n(.*?)^```", TEXT, flags=re.M | re.S)

COLUMNS = {
    1: "athlete_id title e1rm_family month_start e1rm_kg low_kg high_kg exposures",
    2: "athlete_id muscle_group week_start_date fractional_set_count volume_band "
    "landmark_set_count landmark_band landmark_version assumed_hard_share",
    3: "athlete_id execution_status set_count share",
    4: "athlete_id title verdict slope_pct lower_pct upper_pct exposure_count false_alarm_rate "
    "false_alarm_basis plateau_reason window_end_date",
    5: "athlete_id workout_date title record_kind record_value previous_value weight_kg reps "
    "is_current",
    6: "athlete_id weekday_number weekday_name workouts planned_sets adherence",
    7: "athlete_id planned_exercise done_instead workouts last_time",
    8: "athlete_id month_start working_sets with_rpe rpe_coverage",
    9: "athlete_id month_start muscle_group working_sets tonnage_kg",
    10: "athlete_id start_hour workouts median_minutes mean_working_sets mean_kg_per_min",
    11: "athlete_id rule prescribed_sets hit exceeded missed not_done mean_error_pct "
    "mean_absolute_error_pct sets_with_error",
    12: "athlete_id workout_date title weight_kg reps usual_kg usual_reps set_key",
    13: "athlete_id routine version_number valid_from changed_by exercise sets_before sets_now "
    "kg_before kg_now",
    14: "athlete_id name first_week last_week weeks weeks_trained streak_weeks adherence fitness "
    "fatigue is_warming_up",
    15: "athlete_id week_start_date tonnage_kg mean_of_four_weeks_kg change",
    16: "athlete_id week_start_date call_name answered_by questions refused_answers failures "
    "known_cost_usd without_price cached_share longest_s",
    17: "athlete_id model prompt_version published_by workouts exercises rules_off_pct "
    "model_off_pct mean_difference_pct standard_error_pct",
    18: "athlete_id health_source metric hrv_method last_date last_value last_deviation_sds "
    "week_deviation_sds baseline_days",
    19: "athlete_id health_source weights last_date last_kg trend_kg weekly_change_kg",
    20: "athlete_id week_start_date sessions minutes known_session_load without_rpe "
    "by_heart_rate their_trimp days_with_lifting most_hard_sets_of_a_day",
    21: "athlete_id readiness_date worse_count hrv_state resting_hr_state sleep_state "
    "check_in_state workouts "
    "hard_sets",
    22: "athlete_id health_source weights body_fats first_date last_date weights_a_day",
    23: "athlete_id timezone local_start title primary_muscle_group current_title hard_set_count",
    24: "athlete_id title verdict previous_verdict changed_date next_change_date slope_pct "
    "exposure_count",
    25: "athlete_id title constant_name previous_value constant_value unit changed_date "
    "next_change_date",
    26: "athlete_id folder_title title version_number",
    27: "athlete_id title workout_date body_weight_kg body_share max_kg body_weights standard_pct "
    "total_kg dots",
    28: "athlete_id readiness workouts sets average_reps_error margin predicted_share met_share",
    29: "athlete_id muscle_group verdict slope_pct lower_pct upper_pct least_weekly_sets "
    "most_weekly_sets period_count changed_date",
}

FIRST_MONDAY = date(2026, 1, 5)


def asked(home: Path, number: int) -> list[Json]:
    queries = {int(found): sql for found, sql in QUESTIONS}
    with open_release(home / "release" / "marts.duckdb") as con:
        cursor = con.execute(queries[number])
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def of(athlete: str, rows: list[Json]) -> list[Json]:
    return [row for row in rows if row["athlete_id"] == athlete]


def values(rows: list[Json], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_the_questions_are_numbered_and_there_is_no_other_query() -> None:
    assert [int(number) for number, _ in QUESTIONS] == list(range(1, 30))
    assert len(re.findall(r"^```sql", TEXT, flags=re.M)) == 29


@pytest.mark.parametrize("number", COLUMNS)
def test_a_question_has_an_answer(home: Path, number: int) -> None:
    rows = asked(home, number)
    assert rows
    assert list(rows[0]) == COLUMNS[number].split()


def test_every_mart_has_its_grain_in_the_table(home: Path) -> None:
    listed = re.findall(r"^\| `((?:dim|fct|bridge)_\w+|coach_context)` \|", TEXT, flags=re.M)
    with open_release(home / "release" / "marts.duckdb") as con:
        marts = con.execute("select mart from marts.manifest_marts order by mart").fetchall()
    assert sorted(listed) == [mart for (mart,) in marts]


def test_1_a_maximum_has_its_band(home: Path) -> None:
    """100 kg x 5 at RPE 8 is seven repetitions: 100 x (1 + 7 / 30), and 8 % to each side.

    On the day of the zero too many only sets without an RPE are believed: another series.
    """
    maximum = 100 * (1 + 7 / 30)
    bench = [row for row in of(STEADY, asked(home, 1)) if row["title"] == "Bench Press"]
    assert values(bench, "e1rm_family", "month_start", "exposures") == [
        ("epley_assumed_failure", date(2026, 3, 1), 1),
        ("epley_rated", date(2026, 1, 1), 4),
        ("epley_rated", date(2026, 2, 1), 4),
        ("epley_rated", date(2026, 3, 1), 1),
    ]
    january = bench[1]
    assert january["e1rm_kg"] == pytest.approx(maximum)
    assert january["low_kg"] == pytest.approx(0.92 * maximum)
    assert january["high_kg"] == pytest.approx(1.08 * maximum)


def test_1_a_renamed_exercise_is_one_series_with_its_new_title(home: Path) -> None:
    assert values(of(USED, asked(home, 1)), "title", "exposures") == [("New Name", 4)]


def test_latest_weeks_go_on_after_the_last_workout(home: Path) -> None:
    """The account of the demo was read five weeks after its last workout."""
    [demo] = of("demo", asked(home, 14))
    assert (demo["last_week"], demo["streak_weeks"]) == (date(2026, 3, 30), 0)
    assert {row["fractional_set_count"] for row in of("demo", asked(home, 2))} == {0}
    fallen = [row["workout_date"] for row in of("demo", asked(home, 5))]
    assert min(fallen) > date(2026, 4, 5) - timedelta(days=90)
    assert [row["tonnage_kg"] for row in of("demo", asked(home, 15))[-4:]] == [0] * 4


def test_2_weeks_count_back_from_the_last_one(home: Path) -> None:
    chest = [row for row in of(STEADY, asked(home, 2)) if row["muscle_group"] == "chest"]
    assert values(chest, "week_start_date", "fractional_set_count", "volume_band") == [
        (FIRST_MONDAY + timedelta(weeks=week), 3, "low") for week in (6, 7, 8, 9)
    ]


def test_3_each_planned_set_has_one_status(home: Path) -> None:
    rows = of(STEADY, asked(home, 3))
    assert {row["execution_status"]: row["set_count"] for row in rows} == {
        "Target Met": 5 * 3 + 9,
        "Underperformed: Lighter": 5 * 3 - 1,
        "Overperformed: Heavier": 1,
        "Skipped": 1,
        "Unplanned": 1,
    }
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_4_ten_equal_exposures_are_a_stall(home: Path) -> None:
    """Each week has sets without an RPE, also the ninth, whose rated one is a typing error."""
    (bench,) = [row for row in of(STEADY, asked(home, 4)) if row["title"] == "Bench Press"]
    assert (bench["verdict"], bench["exposure_count"]) == ("stalled", 10)
    assert bench["slope_pct"] == pytest.approx(0, abs=1e-9)


def test_5_the_first_workout_breaks_no_record(home: Path) -> None:
    """The only records of a steady lifter are of volume, by a typing error."""
    assert "bench" not in values(of(STEADY, asked(home, 5)), "title")
    demo = of("demo", asked(home, 5))
    assert demo
    last_day = max(row["workout_date"] for row in demo)
    assert min(row["workout_date"] for row in demo) > last_day - timedelta(days=90)


def test_6_adherence_belongs_to_a_day_of_the_week(home: Path) -> None:
    """The typing error of the ninth week is left out."""
    assert values(of(STEADY, asked(home, 6)), "weekday_name", "workouts", "planned_sets") == [
        ("Monday", 10, 39)
    ]
    (monday,) = of(STEADY, asked(home, 6))
    assert monday["adherence"] == pytest.approx((5 * 3 + 9) / 39)


def test_7_a_substitution_names_both_exercises(home: Path) -> None:
    assert values(
        of(STEADY, asked(home, 7)), "planned_exercise", "done_instead", "workouts", "last_time"
    ) == [("Row", "Pull-up", 1, FIRST_MONDAY + timedelta(weeks=7))]


def test_8_one_set_of_four_has_an_rpe(home: Path) -> None:
    assert values(of(STEADY, asked(home, 8)), "working_sets", "rpe_coverage") == [
        (16, 0.25),
        (16, 0.25),
        (8, 0.25),
    ]


def test_9_tonnage_goes_to_the_primary_muscle_group(home: Path) -> None:
    january = [row for row in of(STEADY, asked(home, 9)) if row["month_start"].month == 1]
    assert values(january, "muscle_group", "working_sets", "tonnage_kg") == [
        ("chest", 12, 4 * 1500),
        ("lats", 4, 4 * 600),
    ]


def test_10_hours_are_those_of_the_athlete(home: Path) -> None:
    assert values(of(STEADY, asked(home, 10)), "start_hour", "workouts", "median_minutes") == [
        (17, 10, 45)
    ]
    assert values(of("berliner", asked(home, 10)), "start_hour") == [(0,)]


def test_11_an_outcome_is_counted_once(home: Path) -> None:
    (rule,) = of(PRESCRIBED, asked(home, 11))
    counts = ("prescribed_sets", "hit", "exceeded", "missed", "not_done", "sets_with_error")
    assert values([rule], *counts) == [(6, 2, 2, 1, 1, 4)]


def test_28_each_set_at_its_load_is_in_one_kind_of_day(home: Path) -> None:
    """No night of this athlete was recorded."""
    names = ("readiness", "sets", "average_reps_error", "met_share")
    assert values(of(PRESCRIBED, asked(home, 28)), *names) == [("unknown", 5, 0.8, 0.8)]


def test_29_more_sets_help_one_muscle_and_not_another(home: Path) -> None:
    """Log gains of 1 and 4.9 % with 4 and 12 sets; estimates are drawn towards zero."""
    found = {row["muscle_group"]: row for row in of(RESPONDER, asked(home, 29))}
    assert {muscle: row["verdict"] for muscle, row in found.items()} == {
        "biceps": "not_enough_data",
        "chest": "more_helps",
        "lats": "less_helps",
    }
    assert 0 < found["chest"]["lower_pct"] < found["chest"]["slope_pct"] < (4.9 - 1) / 8


def test_12_a_zero_too_many_is_doubted(home: Path) -> None:
    assert values(of(STEADY, asked(home, 12)), "weight_kg", "usual_kg", "reps", "set_key") == [
        (1000, 100, 5, "steady/week 8/0/0")
    ]


def test_13_an_edit_shows_what_it_changed(home: Path) -> None:
    changes = [row for row in of(STEADY, asked(home, 13)) if row["version_number"] == 2]
    assert values(changes, "exercise", "changed_by", "sets_before", "sets_now") == [
        ("Bench Press", "athlete", 3, 3)
    ]
    assert values(changes, "kg_before", "kg_now") == [(100, 102.5)]


def test_14_every_athlete_is_there(home: Path) -> None:
    rows = asked(home, 14)
    with open_release(home / "release" / "marts.duckdb") as con:
        (count,) = con.execute("select count(*) from marts.dim_athlete").fetchone() or (0,)
    assert len(rows) == count
    assert values(of(STEADY, rows), "weeks", "weeks_trained", "streak_weeks") == [(10, 10, 10)]


def test_15_a_week_is_held_against_the_four_before(home: Path) -> None:
    """In the ninth the mistyped set counts nowhere, so it falls short of 2,100 kg by that set."""
    rows = of(STEADY, asked(home, 15))
    assert (rows[0]["mean_of_four_weeks_kg"], rows[0]["change"]) == (None, None)
    assert rows[4]["change"] == pytest.approx(0)
    assert rows[8]["change"] == pytest.approx(1600 / 2100 - 1)


def test_16_an_unknown_price_is_reported(home: Path) -> None:
    (week,) = of(STEADY, asked(home, 16))
    assert values([week], "call_name", "answered_by", "questions") == [
        ("plan", "compatible:qwen3", 1)
    ]
    assert values([week], "refused_answers", "failures", "without_price") == [(1, 1, 2)]
    assert (week["known_cost_usd"], week["cached_share"]) == (None, 0.45)


def test_18_a_week_is_held_against_the_four_before(home: Path) -> None:
    """Nights of 430 and 450 min have the deviation 10 x sqrt(28 / 27); the last one has 300.

    The week is 3 x 430 + 3 x 450 + 300 min, a mean of 420. Equal variabilities have no spread.
    """
    spread = 10 * (28 / 27) ** 0.5
    hrv, sleep = of(SLEEPER, asked(home, 18))
    assert values([hrv], "metric", "hrv_method", "last_value", "last_deviation_sds") == [
        ("hrv_ms", "rmssd", 48, None)
    ]
    assert values([sleep], "metric", "hrv_method", "last_value", "baseline_days") == [
        ("sleep_minutes", None, 300, 28)
    ]
    assert sleep["last_date"] == date(2026, 3, 8)
    assert sleep["last_deviation_sds"] == pytest.approx((300 - 440) / spread)
    assert sleep["week_deviation_sds"] == pytest.approx((420 - 440) / spread)


def test_19_body_weight_has_a_trend(home: Path) -> None:
    """0.1 kg a day are 0.7 kg a week. The trend lags by the mean age of the weights.

    Of 35 weights with factors 0.9^age, the last 76.6 kg and 0.1 kg more for each day of age, but
    0.5 kg more on the first day, which was corrected.
    """
    hevy, oura = of(SLEEPER, asked(home, 19))
    assert values([hevy], "health_source", "weights", "last_kg", "trend_kg") == [
        ("hevy", 1, 78, 78)
    ]
    assert values([oura], "weights", "last_date", "last_kg") == [(35, date(2026, 3, 8), 76.6)]
    factors = [0.9**age for age in range(35)]
    weights = [76.6 + age / 10 for age in range(34)] + [80.5]
    trend = sum(f * kg for f, kg in zip(factors, weights, strict=True)) / sum(factors)
    assert oura["trend_kg"] == pytest.approx(trend)
    assert oura["weekly_change_kg"] == pytest.approx(-0.7)


def test_20_a_session_of_two_sources_is_counted_once(home: Path) -> None:
    (week,) = of(SLEEPER, asked(home, 20))
    names = ("week_start_date", "sessions", "minutes", "known_session_load", "without_rpe")
    assert values([week], *names) == [(date(2026, 2, 23), 1, 60, 300, 0)]


def test_21_a_workout_after_a_short_night_is_listed(home: Path) -> None:
    (day,) = of(SLEEPER, asked(home, 21))
    names = ("readiness_date", "worse_count", "sleep_state", "workouts", "hard_sets")
    assert values([day], *names) == [(date(2026, 3, 8), 1, "low", 1, 1)]


def test_22_the_source_with_most_weights_is_first(home: Path) -> None:
    assert values(of(SLEEPER, asked(home, 22)), "health_source", "weights", "weights_a_day") == [
        ("oura", 35, 1.0),
        ("hevy", 1, 1.0),
    ]


def test_27_a_maximum_is_held_against_the_body_weight(home: Path) -> None:
    """Five times 100 kg are 100 x (1 + 5 / 30) = 116.67 kg, at 76.6 kg of that day 1.523064."""
    (bench,) = of(SLEEPER, asked(home, 27))
    assert values([bench], "body_weight_kg", "body_share", "body_weights", "dots") == [
        (76.6, None, 1.523064, None)
    ]


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("command", [each for each in commands() if " metrics" in each])
def test_a_command_runs(home: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(home))
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert len(done.output.splitlines()) > 3


@pytest.mark.long
@pytest.mark.parametrize("command", [each for each in commands() if " as-of" in each])
def test_the_marts_of_an_earlier_date_are_written(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    shutil.copyfile(home / "warehouse.duckdb", tmp_path / "warehouse.duckdb")
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    done = CliRunner().invoke(app, [*shlex.split(command)[1:], "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    with (
        open_release(Path(answer["path"])) as then,
        open_release(home / "release/marts.duckdb") as now,
    ):
        newest = "select max(started_at) from fct_workout"
        assert then.execute(newest).fetchall() < now.execute(newest).fetchall()
    assert answer["row_counts"]["fct_set"] > 0


def test_a_date_in_the_future_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["as-of", "2999-01-01"])
    assert isinstance(done.exception, SettingsError)
    assert "in the future" in str(done.exception)


def test_23_a_lift_has_the_title_and_the_clock_of_its_day(home: Path) -> None:
    rows = of(MOVER, asked(home, 23))
    assert values(rows, "local_start", "title", "current_title") == [
        (naive("2026-02-02 18:00"), "bench", "Bench"),
        (naive("2026-04-05 13:00"), "Bench", "Bench"),
    ]


def test_25_each_change_of_a_constant_follows_the_one_before(home: Path) -> None:
    rows = asked(home, 25)
    assert {row["constant_name"] for row in rows} == {"increment", "minutes_a_set"}
    by_constant = itemgetter("athlete_id", "title", "constant_name")
    for _, changes in groupby(sorted(rows, key=by_constant), by_constant):
        own = list(changes)
        assert own[0]["previous_value"] is None
        assert own[-1]["next_change_date"] is None
        for earlier, later in pairwise(own):
            assert later["previous_value"] == earlier["constant_value"]
            assert later["changed_date"] == earlier["next_change_date"]


def test_26_a_routine_is_in_its_folder(home: Path) -> None:
    assert values(of(STEADY, asked(home, 26)), "folder_title", "title") == [("Strength", "Monday")]
    assert {row["folder_title"] for row in asked(home, 26)} == {"Strength", "no folder"}
