import math
from datetime import date, timedelta
from typing import Any

import pytest

from orchestration.text.readiness import Readiness, Sleep, UsualBand, readiness_lines

TODAY = date(2026, 3, 4)
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
        "day": TODAY,
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
    assert list(readiness_lines(known(), TODAY)) == [
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
    lines = dict(readiness_lines(known(hrv=HRV.model_copy(update={"state": state})), TODAY))
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
            ),
            TODAY,
        )
    )
    assert lines == {
        "Heart rate variability": (
            "mean of 5 days 55 ms (oura, SDNN); not enough data: 5 days of this week, 12 before it."
        ),
        "Sleep": "6 h 01 min last night (watch); not enough data, 2 nights.",
        "Together": "not enough data. For display only: no plan depends on it.",
    }


def test_the_night_of_an_earlier_day_is_named() -> None:
    """The day before is read as well, and its sleep was shown as that of the last night."""
    lines = dict(readiness_lines(known(), TODAY + timedelta(days=1)))
    assert lines["Sleep"].startswith("6 h 01 min in the night to Wed 4 Mar 2026; 2 h 05 min short")


@pytest.mark.parametrize(
    ("mean", "low", "high", "state", "text"),
    [
        (59.9, 60.3, 74.2, "low", "59.9 ms, below your usual 60.3 to 74.2 ms"),
        (74.24, 60.3, 74.2, "high", "74.24 ms, above your usual 60.30 to 74.20 ms"),
        (60.4, 60.3, 74.2, "usual", "60 ms, within your usual 60 to 74 ms"),
        (59.4, 60.3, 74.2, "low", "59 ms, below your usual 60 to 74 ms"),
    ],
)
def test_rounding_does_not_contradict_the_verdict(
    mean: float, low: float, high: float, state: str, text: str
) -> None:
    """60 ms were "below your usual 60 to 74 ms"."""
    band = {"week_mean": mean, "usual_low": low, "usual_high": high}
    logarithms = {name: math.log(value) for name, value in band.items()}
    hrv = HRV.model_copy(update={**logarithms, "state": state})
    pulse = PULSE.model_copy(update={**band, "state": state})
    lines = dict(readiness_lines(known(hrv=hrv, resting_hr=pulse), TODAY))
    assert lines["Heart rate variability"] == f"mean of 5 days {text} (oura, rMSSD)."
    assert lines["Resting heart rate"] == f"mean of 5 days {text.replace(' ms', '')} (oura)."


def test_one_day_and_one_night_are_singular() -> None:
    none = {"usual_low": None, "usual_high": None, "state": "not_enough_data"}
    lines = dict(
        readiness_lines(
            known(
                judged_count=1,
                hrv=HRV.model_copy(update={**none, "week_day_count": 1}),
                sleep=SLEEP.model_copy(update={"state": "not_enough_data", "week_day_count": 1}),
            ),
            TODAY,
        )
    )
    assert lines["Heart rate variability"] == (
        "mean of 1 day 55 ms (oura, rMSSD); not enough data: 1 day of this week, 48 before it."
    )
    assert lines["Sleep"].endswith("not enough data, 1 night.")
    assert lines["Together"].startswith("1 of 1 signal worse")


def test_a_check_in_is_a_line_of_its_own() -> None:
    lines = dict(readiness_lines(known(check_in_score=2), TODAY))
    assert lines["Feeling"] == "2 of 5, the worse of energy and soreness in your check-in."
    assert "Feeling" not in dict(readiness_lines(known(), TODAY))


def test_the_last_line_says_what_plans_do() -> None:
    for is_adjusting, use in (
        (False, "For display only: no plan depends on it."),
        (True, "Two worse signals make your plan easier."),
    ):
        lines = dict(readiness_lines(known(), TODAY, is_adjusting=is_adjusting))
        assert lines["Together"].endswith(use)
