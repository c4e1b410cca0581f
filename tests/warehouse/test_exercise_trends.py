"""Trends, compared with the coach's own rule and a plain choice of the series."""

import csv
import math
from datetime import datetime, timedelta

import pytest

from coach_agent.engine.forecast.trend import Trend, plateau_reason, trend_of, wobble_of
from orchestration.dbt.runner import DBT_PROJECT_DIR
from tests.coach.simulated_lifters import (
    DRIFTS_PCT,
    EXPOSURE_COUNTS,
    NOISES_PCT,
    TRUE_PROGRESS_PCT,
    share_flagged,
)
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.series import Rows, by, e1rm_family, performed_sets

FalseAlarms = dict[tuple[int, float, float], float]


def test_trends_are_those_of_the_coach(trained_warehouse: ScratchWarehouse) -> None:
    rows = by(
        trained_warehouse.rows("select * from marts.fct_exercise_trend"),
        "athlete_id",
        "exercise_key",
    )
    performed = by(performed_sets(trained_warehouse), "athlete_id", "exercise_key")
    assert rows.keys() == performed.keys()
    for of_exercise, sets in performed.items():
        (row,) = rows[of_exercise]
        expected = _trend(sets)
        for name, value in expected.items():
            told = pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
            assert row[name] == told, (of_exercise, name)
    trends = [row for (row,) in rows.values()]
    assert {row["verdict"] for row in trends} == {"stalled", "not_stalled", "insufficient", None}
    assert {row["false_alarm_basis"] for row in trends} == {"own", "all_lifters", None}


def test_the_history_has_each_change_of_a_verdict(trained_warehouse: ScratchWarehouse) -> None:
    """Each verdict is that of the coach's own rule on the sets up to that workout."""
    expected = []
    for (athlete_id, exercise_key), sets in by(
        performed_sets(trained_warehouse), "athlete_id", "exercise_key"
    ).items():
        verdict: str | None = None
        known: Rows = []
        for (workout_id,), done in by(sets, "workout_id").items():
            known.extend(done)
            if not any(map(_tells, done)):
                continue
            before, verdict = verdict, _trend(known)["verdict"]
            if verdict != before:
                expected.append((athlete_id, exercise_key, workout_id, verdict, before))
    rows = trained_warehouse.rows("""
        select athlete_id, exercise_key, workout_id, verdict, previous_verdict
        from marts.fct_exercise_trend_change
    """)
    assert sorted(map(str, expected)) == sorted(str(tuple(row.values())) for row in rows)
    assert {(before, verdict) for *_, verdict, before in expected} >= {
        (None, "insufficient"),
        ("insufficient", "not_stalled"),
        ("not_stalled", "stalled"),
        ("stalled", "not_stalled"),
    }


def test_the_last_change_is_the_present_verdict(warehouse: ScratchWarehouse) -> None:
    apart = warehouse.rows("""
        select trends.athlete_id, trends.exercise_key, trends.verdict, changes.verdict as latest
        from marts.fct_exercise_trend as trends
        left join marts.fct_exercise_trend_change as changes
            on
                trends.athlete_id = changes.athlete_id
                and trends.exercise_key = changes.exercise_key
                and changes.next_change_date is null
        where trends.verdict is distinct from changes.verdict
    """)
    assert apart == []


def test_the_table_of_false_alarms_is_that_of_the_source() -> None:
    """Section 10 of the reference: 8 exposures, a true +0.5 %."""
    rates = _false_alarms()
    assert len(rates) == len(EXPOSURE_COUNTS) * len(NOISES_PCT) * len(DRIFTS_PCT)
    of_noise = [rates[8, noise_pct, 0.0] for noise_pct in (1.5, 2.5, 4.0)]
    assert of_noise == pytest.approx([0.03, 0.07, 0.11], abs=0.015)
    of_drift = [rates[8, 3.1, drift_pct] for drift_pct in (0.0, 1.0, 2.0, 3.65)]
    assert of_drift == pytest.approx([0.09, 0.14, 0.22, 0.29], abs=0.015)
    assert rates[12, 2.5, 0.0] == pytest.approx(0.02, abs=0.015)
    assert rates[12, 3.1, 2.0] == pytest.approx(0.23, abs=0.015)


def test_the_table_of_false_alarms_is_what_the_rule_gives() -> None:
    rate = share_flagged(10, TRUE_PROGRESS_PCT, noise_pct=4.0, drift_pct=5.0)
    assert _false_alarms()[10, 4.0, 5.0] == pytest.approx(rate, abs=1e-4)


def _trend(sets: Rows) -> Json:
    """Return the row of the mart for one exercise; without maxima only the dates of training."""
    trained = {
        "last_trained_at": sets[-1]["started_at"],
        "last_trained_date": sets[-1]["workout_date"],
    }
    series = _series(sets)
    if not series:
        return trained | {"verdict": None, "exposure_count": None, "false_alarm_rate": None}
    days = [best["workout_date"] for best in series]
    last_date = max(each["workout_date"] for each in sets if _tells(each))
    in_trend = [best for best in series if best["workout_date"] >= last_date - timedelta(120)][-12:]
    trend = trend_of([best["e1rm_kg"] for best in in_trend])
    told = trained | {
        "e1rm_family": e1rm_family(series[-1]),
        "rep_zone": _zone(series[-1]),
        "exposure_count": len(in_trend),
        "window_start_date": in_trend[0]["workout_date"],
        "window_end_date": days[-1],
    }
    if trend is None:
        return told | {"verdict": "insufficient", "slope_pct": None, "upper_pct": None}
    workouts = {best["workout_id"] for best in in_trend}
    working = [
        each
        for each in sets
        if each["is_working"] and not each["is_typo_suspect"] and each["workout_id"] in workouts
    ]
    mean_rpe = _mean([each["rpe"] for each in working])
    mean_reps = _mean([each["reps"] for each in working])
    assert mean_reps is not None
    reason = plateau_reason(mean_rpe, mean_reps) if trend.verdict == "stalled" else None
    noise_pct, drift_pct = _wobble(trend.exposure_count, trend.residual_pct)
    return told | {
        "verdict": trend.verdict,
        "plateau_reason": reason,
        "slope_pct": trend.slope_pct,
        "standard_error_pct": trend.standard_error_pct,
        "lower_pct": trend.lower_pct,
        "upper_pct": trend.upper_pct,
        "residual_pct": trend.residual_pct,
        "false_alarm_rate": _rate(trend.exposure_count, noise_pct, drift_pct),
        "false_alarm_basis": "own" if trend.exposure_count > 10 else "all_lifters",
        "noise_pct": noise_pct,
        "drift_pct": drift_pct,
        "mean_rpe": mean_rpe,
        "mean_reps": mean_reps,
    }


def _wobble(count: int, residual_pct: float) -> tuple[float, float]:
    """Return noise and drift of all lifters, scaled by the residual, as the coach computes them."""
    usual_pct = math.hypot(3.1, 1.2 * math.sqrt((count + 2) / 15))
    own = count - 2
    more = math.sqrt((own * (residual_pct / usual_pct) ** 2 + 8) / (own + 8))
    told = wobble_of(Trend(count, 0.0, 0.0, 0.0, 0.0, residual_pct))
    assert (told.noise_pct, told.drift_pct) == pytest.approx((3.1 * more, 1.2 * more))
    return 3.1 * more, 1.2 * more


def _tells(performed: Json) -> bool:
    return (
        performed["e1rm_kg"] is not None
        and not performed["is_e1rm_low_confidence"]
        and not performed["is_typo_suspect"]
        and not performed["is_easy"]
    )


def _zone(performed: Json) -> str:
    return "1-5" if performed["effective_reps"] <= 5 else "6-10"


def _series(sets: Rows) -> list[Json]:
    """Return the best set of each exposure, in the family and zone of most latest exposures."""
    recording_failure = [
        each | {"family": e1rm_family(each), "zone": _zone(each)} for each in sets if _tells(each)
    ]
    exposures = list(by(recording_failure, "started_at", "workout_id"))
    if not exposures:
        return []
    last_date = recording_failure[-1]["workout_date"]
    latest = [
        each
        for each in recording_failure
        if (each["started_at"], each["workout_id"]) in exposures[-12:]
        and each["workout_date"] >= last_date - timedelta(120)
    ]
    kinds = sorted(by(latest, "zone", "family").items())  # of equals the first in this order
    (zone, family), _ = max(kinds, key=lambda kind: _weight(kind[1]))
    chosen = [
        each for each in recording_failure if (each["zone"], each["family"]) == (zone, family)
    ]
    return [
        max(in_workout, key=lambda each: float(each["e1rm_kg"]))
        for in_workout in by(chosen, "workout_id").values()
    ]


def _weight(of_kind: Rows) -> tuple[int, datetime]:
    return len(by(of_kind, "workout_id")), max(each["started_at"] for each in of_kind)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _rate(count: int, noise_pct: float, drift_pct: float) -> float:
    """Interpolate between the four neighbours in the table; beyond its ends as at the end."""
    rates = _false_alarms()
    (low_noise, high_noise, noise_share) = _between(NOISES_PCT, noise_pct)
    (low_drift, high_drift, drift_share) = _between(DRIFTS_PCT, drift_pct)

    def at_noise(noise: float) -> float:
        low, high = rates[count, noise, low_drift], rates[count, noise, high_drift]
        return low + drift_share * (high - low)

    return at_noise(low_noise) + noise_share * (at_noise(high_noise) - at_noise(low_noise))


def _between(nodes: tuple[float, ...], value: float) -> tuple[float, float, float]:
    """Return the nodes around a value, and its relative position between them."""
    inside = min(max(value, nodes[0]), nodes[-1])
    place = max(index for index, node in enumerate(nodes[:-1]) if node <= inside)
    low, high = nodes[place : place + 2]
    return low, high, (inside - low) / (high - low)


def _false_alarms() -> FalseAlarms:
    path = DBT_PROJECT_DIR / "seeds" / "stall_false_alarms.csv"
    with path.open(encoding="utf-8") as lines:
        return {
            (int(row["exposure_count"]), float(row["noise_pct"]), float(row["drift_pct"])): float(
                row["false_alarm_rate"]
            )
            for row in csv.DictReader(lines)
        }
