"""The report on a terminal of 80 columns."""

import re
from dataclasses import replace
from datetime import date
from io import StringIO

import pytest
from rich.console import Console

from coach_agent.evaluation.before_after import BeforeAfter, TooFew, before_after
from coach_agent.evaluation.plan_outcomes import (
    Compliance,
    TooFewSets,
    compliance,
    prediction_error,
)
from orchestration.cli.views.before_after import Report, sentences, show_report
from tests.coach.evaluation.test_before_after import SINCE, compared, lifter
from tests.coach.evaluation.test_plan_outcomes import AS_FORESEEN

CAUSAL = re.compile(
    r"\b(because|caus|due to|thanks|effect|help|improv|led to|result|impact|gain|made)", re.I
)
FRIDAY = replace(AS_FORESEEN, workout_id="friday", reps=7, outcome="missed")
REPORT = Report(
    athlete_id="me",
    since=SINCE,
    is_given=False,
    first_published_at=None,
    predictions=prediction_error([*[AS_FORESEEN] * 15, *[FRIDAY] * 10]),
    compliance=compliance([*[AS_FORESEEN] * 15, *[FRIDAY] * 10]),
    trend=compared(
        [replace(each, lift="Standing Calf Raise (Machine)") for each in lifter(1, 0.3)][::2]
    ),
)
NONE = replace(
    REPORT,
    is_given=True,
    predictions=TooFewSets(6),
    compliance=Compliance(0, 0, 0, 0, 0, 0, 0),
    trend=TooFew(SINCE, 12, 3, ("Squat (Barbell)", 12, 3)),
)


def shown(report: Report) -> str:
    text = StringIO()
    show_report(Console(file=text, width=80), report)
    return text.getvalue()


def verdict(found: BeforeAfter | TooFew) -> str:
    return " ".join(sentences(found))


@pytest.mark.parametrize("report", [REPORT, NONE], ids=["all", "nothing"])
def test_it_fits_a_terminal_and_names_no_cause(report: Report) -> None:
    text = shown(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text.replace("… ", ""), "nothing is cut off"
    assert not CAUSAL.search(text), CAUSAL.search(text)


def test_everything_is_told_in_numbers() -> None:
    """Of 25 sets, 15 on Monday were as predicted; 10 on Friday were 2 below and missed."""
    lines = [" ".join(line.split()) for line in shown(REPORT).splitlines()]
    assert "mean error, either way (MAE) 1.00 [0.00, 2.00]" in lines
    assert "80 % interval holds, % 50 [0, 100]" in lines
    assert "… came less stated, points -40 [-90, +10]" in lines
    assert "more 15 60" in lines
    assert "less 10 40" in lines
    assert any(line.startswith("Standing Calf Raise") for line in lines)


def test_too_few_data_are_told_with_what_there_is() -> None:
    text = " ".join(shown(NONE).split())
    assert "that takes 20 sets done with the planned load, and there are 6." in text
    assert "12 weeks before and 8 after the date" in text
    assert "There are 12 weeks before and 3 after." in text
    assert "Squat (Barbell), was done 12 and 3 times." in text


def test_without_any_lift_none_is_named() -> None:
    assert verdict(before_after([], date(2026, 1, 5))).endswith(
        "There are 0 weeks before and 0 after."
    )


@pytest.mark.parametrize(
    ("change", "before", "words"),
    [
        (
            0.0,
            42,
            r"^All lifts .* \d+ of 23 placebo dates .* as much \(p = 0\.\d\d\): no sign of a",
        ),
        (
            2.0,
            42,
            r"None of 23 placebo dates before it show as much \(p = 0\.04\): the trend after",
        ),
        (3.0, 30, r"clear of 0, but that is too few dates .* at least 8 more weeks of training"),
        (0.0, 20, r"(None|1) of 1 placebo date before it shows? as much"),
    ],
    ids=["no sign", "changed", "unconfirmed", "one date"],
)
def test_each_verdict_has_its_words(change: float, before: int, words: str) -> None:
    text = verdict(compared(lifter(1, 0.3, change=change, before=before)))
    assert re.search(words, text), text
    assert not CAUSAL.search(text)


def test_a_fall_is_told_as_less_with_its_sign() -> None:
    text = verdict(compared(lifter(1, 0.3, change=-2.0)))
    assert re.search(r"% a week after the date and by .* before: \d\.\d\d less \[-", text), text


def test_what_would_have_been_found_is_told() -> None:
    found = compared(lifter(1, 0.3))
    assert f"A change of {found.detectable:.2f} % a week would have been found" in verdict(found)
