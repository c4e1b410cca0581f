import math
from datetime import date
from typing import Any

import pytest

from orchestration.text.readiness import Readiness, Sleep, UsualBand, readiness_lines

HRV = UsualBand(
    source="oura",
    week_day_count=5,
    week_mean=math.log(55),
    baseline_day_count=48,
    usual_low=math.log(57),
    usual_high=math.log(63),
    state="low",
)
PULSE = HRV.model_copy(
    update={"week_mean": 52.4, "usual_low": 50.6, "usual_high": 54.2, "state": "usual"}
)
SLEEP = Sleep(
    source="watch",
    week_day_count=6,
    minutes=361,
    need_minutes=420,
    debt_minutes=125,
    state="usual",
)


def known(**values: Any) -> Readiness:
    given: dict[str, Any] = {
        "day": date(2026, 3, 4),
        "readiness": "mixed",
        "judged_count": 3,
        "worse_count": 1,
        "hrv_method": "rmssd",
        "hrv": HRV,
        "resting_hr": PULSE,
        "sleep": SLEEP,
    }
    return Readiness(**{**given, **values})


def test_each_signal_is_shown_with_its_numbers_and_source() -> None:
    assert list(readiness_lines(known())) == [
        (
            "Heart rate variability",
            "mean of 5 days 55 ms, below your usual 57 to 63 ms (oura, rMSSD).",
        ),
        ("Resting heart rate", "mean of 5 days 52, within your usual 51 to 54 (oura)."),
        (
            "Sleep",
            "6 h 01 min last night; 2 h 05 min short of 7 h 00 min a night over 6 nights (watch).",
        ),
        (
            "Together",
            "1 of 3 signals worse than your usual. For display only: no plan depends on it.",
        ),
    ]


@pytest.mark.parametrize(("state", "word"), [("high", "above"), ("usual", "within")])
def test_a_band_has_two_sides(state: str, word: str) -> None:
    lines = dict(readiness_lines(known(hrv=HRV.model_copy(update={"state": state}))))
    assert f", {word} your usual" in lines["Heart rate variability"]


def test_few_days_are_reported_as_such() -> None:
    few = {"usual_low": None, "usual_high": None, "state": "not_enough_data"}
    lines = dict(
        readiness_lines(
            known(
                readiness="not_enough_data",
                hrv_method="sdnn",
                hrv=HRV.model_copy(update={**few, "baseline_day_count": 12}),
                resting_hr=None,
                sleep=SLEEP.model_copy(update={"state": "not_enough_data", "week_day_count": 2}),
            )
        )
    )
    assert lines == {
        "Heart rate variability": (
            "mean of 5 days 55 ms (oura, SDNN); not enough data: 5 days of this week, 12 before it."
        ),
        "Sleep": "6 h 01 min last night (watch); not enough data, 2 nights.",
        "Together": "not enough data. For display only: no plan depends on it.",
    }
