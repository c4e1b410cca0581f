"""Texts and lines of the history, by hand."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from coach_agent.profile.model import parse_profile
from dashboard.charts import body_chart
from dashboard.views.exercise import plan_rows
from dashboard.views.history import (
    body_words,
    calendar_markup,
    calendar_span,
    compliance_row,
    recovery_lines,
    status_text,
)
from dashboard.wording import season_lines

DAY = date(2026, 3, 4)


def compliance(**values: Any) -> dict[str, Any]:
    columns = (
        *("weight_kg", "reps", "duration_s", "distance_m", "planned_weight_kg"),
        *("planned_reps_low", "planned_reps_high", "planned_duration_s", "planned_distance_m"),
    )
    return {
        **dict.fromkeys(columns),
        "is_plan_known": True,
        "planned_set_type": "normal",
        "performed_set_type": "normal",
        "execution_status": "Completed",
        "other_title": None,
        "exercise_type": None,
        **values,
    }


@pytest.mark.parametrize(
    ("values", "planned", "done"),
    [
        ({"planned_distance_m": 400.0, "distance_m": 380.0}, "400 m", "380 m"),
        ({"planned_duration_s": 60, "duration_s": 55}, "60 s", "55 s"),
        (
            {
                "planned_weight_kg": 80.0,
                "planned_reps_low": 8,
                "planned_reps_high": 12,
                "weight_kg": 80.0,
                "reps": 9,
            },
            "8-12 @ 80 kg",
            "80 kg × 9",
        ),
        ({"planned_reps_low": 8, "planned_reps_high": 8, "reps": 8}, "8", "8 reps"),
        ({"planned_reps_low": 5, "reps": 7}, "5+", "7 reps"),
        ({}, "free", "done"),
        ({"planned_set_type": None, "performed_set_type": None}, "", ""),
    ],
)
def test_a_set_shows_whatever_it_has(values: dict[str, Any], planned: str, done: str) -> None:
    row = compliance_row(compliance(**values), "kg")
    assert (row["Planned"], row["Done"]) == (planned, done)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("Target Met", "hit"),
        ("Target Met: Free/Bodyweight", "hit"),
        ("Overperformed: Heavier & More Reps", "more: heavier & more reps"),
        ("Underperformed: Fewer Reps", "less: fewer reps"),
        ("Mixed: Heavier but Fewer Reps", "mixed: heavier but fewer reps"),
        ("Skipped", "skipped"),
        (None, ""),
    ],
)
def test_the_result_of_a_set_is_in_lifters_words(status: str | None, text: str) -> None:
    """The page showed the values of the marts, such as "Target Met: Free/Bodyweight"."""
    assert status_text(status) == text


def planned_workout(**values: float) -> dict[str, Any]:
    names = ("kg", "help_kg", "reps", "s", "m")
    columns = [f"{side}_{name}" for side in ("planned", "done") for name in names]
    return {**dict.fromkeys(columns), "workout_date": DAY, **values}


@pytest.mark.parametrize(
    ("exercise_type", "values", "measure", "planned", "done"),
    [
        (
            "bodyweight_assisted",
            {"planned_kg": 30, "done_kg": 30, "planned_help_kg": 20, "done_help_kg": 25},
            "least help (kg)",
            20,
            25,
        ),
        (
            "weight_reps",
            {"planned_kg": 100, "done_kg": 95, "planned_help_kg": 80, "done_help_kg": 70},
            "heaviest set (kg)",
            100,
            95,
        ),
        ("reps_only", {"planned_reps": 10, "done_reps": 12}, "most reps", 10, 12),
        ("duration", {"planned_s": 60, "done_s": 45}, "longest set (s)", 60, 45),
        ("distance_duration", {"planned_m": 400, "done_m": 500}, "longest set (m)", 400, 500),
    ],
)
def test_a_plan_is_compared_in_its_own_measure(
    exercise_type: str, values: dict[str, float], measure: str, planned: float, done: float
) -> None:
    rows = [{"day": "2026-03-04", "planned": planned, "done": done}]
    assert plan_rows([planned_workout(**values)], exercise_type, "kg") == (measure, rows)


def test_the_calendar_turns_back_without_a_gap() -> None:
    """Wednesday 4 March 2026; eight weeks back to Monday 12 January, then the eight before."""
    days = [date(2025, 11, 20), date(2026, 1, 11), date(2026, 1, 12), date(2026, 3, 2)]
    today = date(2026, 3, 4)
    assert calendar_span(days, today) == (date(2026, 1, 12), today)
    assert calendar_span(days, today, 1) == (date(2025, 11, 17), date(2026, 1, 11))
    latest, before = (str(calendar_markup(days, today, back)) for back in (0, 1))
    assert "2 training days in the 8 weeks to Wed 4 Mar 2026" in latest
    assert "2 training days in the 8 weeks to Sun 11 Jan 2026" in before
    assert calendar_span(days, date(2026, 11, 1)) == (date(2026, 1, 12), date(2026, 3, 2))


def test_a_plan_without_targets_has_no_chart() -> None:
    assert plan_rows([planned_workout(done_s=45)], "duration", "kg") == ("", [])


def weighing(source: str, day: int, kilograms: float) -> dict[str, Any]:
    return {
        "health_source": source,
        "measurement_date": date(2026, 3, day),
        "weight_kg": kilograms,
        "weekly_change_kg": None,
    }


def test_each_scale_has_its_own_trend_and_words() -> None:
    """One line through two scales that differ by 2 kg goes up and down each day."""
    rows = [weighing("garmin", 1, 82), weighing("hevy", 2, 80), weighing("garmin", 3, 82.5)]
    # The dots of the chart had no label.
    dots = "Dots are single weights, the line is their trend."
    assert body_words(rows, "kg") == (
        f"82.5 kg on Tue 3 Mar 2026 from garmin. 80 kg on Mon 2 Mar 2026 from hevy. {dots}"
    )
    assert body_words(rows[1:2], "kg") == f"80 kg on Mon 2 Mar 2026. {dots}"
    drawn = [
        {
            "day": row["measurement_date"].isoformat(),
            "weight": row["weight_kg"],
            "trend": row["weight_kg"],
            "source": row["health_source"],
        }
        for row in rows
    ]
    chart = body_chart(drawn, "kg").to_dict()
    _, line, _ = chart["layer"]
    assert line["encoding"]["detail"]["field"] == "source"
    [values] = chart["datasets"].values()
    assert [each["label"] for each in values] == ["", "hevy", "garmin"]


def test_heart_rate_variability_has_a_line_for_each_method() -> None:
    """SDNN of a watch and rMSSD of a strap cannot be compared."""
    rows = [
        {
            "metric": "hrv_ms",
            "health_source": "csv",
            "hrv_method": method,
            "recovery_date": DAY,
            "metric_value": value,
        }
        for method, value in (("rmssd", 40.04), ("sdnn", 90.0))
    ]
    lines = list(recovery_lines(rows))
    assert [(measure, days) for measure, _, days in lines] == [
        ("Heart rate variability as rMSSD (ms)", [{"day": "2026-03-04", "value": 40.0}]),
        ("Heart rate variability as SDNN (ms)", [{"day": "2026-03-04", "value": 90.0}]),
    ]
    assert lines[0][1].startswith("Heart rate variability as rMSSD from csv: 40 ms on ")


def test_an_easy_week_has_a_name() -> None:
    monday = DAY - timedelta(days=DAY.weekday())
    text = f"""
        id = "ann"
        block_start = {monday - timedelta(weeks=3)}
        [deload]
        mode = "calendar"
        every_weeks = 4
    """
    profile = parse_profile(text, Path("ann.toml"))
    assert list(season_lines(profile, DAY)) == [("Easy week", "This week is a planned deload.")]
