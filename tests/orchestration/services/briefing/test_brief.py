"""Content of a briefing, in the athlete's own unit and day."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from coach_agent.domain.plan import CoachWords, Insight, PlanBlock
from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.planning.decide import decide
from coach_agent.planning.weekly_review import WeeklyReview
from coach_agent.situation.progress import BrokenRecord, Progress, Rise, TrainedWorkout, Week
from coach_agent.store.comments import CommentAuthor
from orchestration.services.briefing.brief import briefing_of, late_reading
from orchestration.services.briefing.weekly_reviews import StoredReview
from orchestration.text.briefing import Briefing
from tests.coach.builders import (
    BENCH,
    NOW,
    exposure,
    fixed,
    profile,
    routine,
    situation,
    slot,
)

TODAY = date(2026, 3, 4)
NOTHING = Progress()


def journaled(state: str | None = "published", **of_profile: Any) -> JournaledPlan:
    sets = fixed(3, 60, 5)
    context = routine(slot(BENCH, sets, [exposure([(60, 5)] * 3, sets)]))
    decision = decide(situation([context]), profile(**of_profile))
    assert decision is not None
    return JournaledPlan(decision.plan_id, decision.plan, NOW, state, ())


def lines(briefing: Briefing, heading: str) -> list[str]:
    """Return the lines of a section; empty without it."""
    return [
        f"{item.mark} {item.name}: {item.text}".removeprefix(" : ").strip()
        for section in briefing.sections
        if section.heading == heading
        for item in section.items
    ]


def test_it_says_what_to_do_and_why() -> None:
    told = briefing_of(profile(name="Kim"), journaled(), NOTHING, TODAY)
    assert told.title == "Next: Upper A"
    assert told.lead[0] == "Kim, Wednesday, 4 March 2026."
    assert told.lead[-1] == "Published to Hevy."
    assert lines(told, "What to do") == ["↑ Bench Press (Barbell): 3 × 5 @ 62.5 kg"]
    assert lines(told, "What changed") == ["Up: Bench Press (Barbell) (60 kg × 5 → 62.5 kg × 5)"]
    [item] = told.sections[0].items
    assert item.why == "All 3 sets reached 5 reps at 60 kg: next step 62.5 kg."


def test_the_text_for_those_who_show_no_markdown_has_none() -> None:
    told = briefing_of(profile(name="Kim"), journaled(), NOTHING, TODAY)
    assert told.plain() == (
        "Kim, Wednesday, 4 March 2026. About 5 minutes. Published to Hevy.\n"
        "\n"
        "WHAT TO DO\n"
        "↑ Bench Press (Barbell): 3 × 5 @ 62.5 kg\n"
        "  All 3 sets reached 5 reps at 60 kg: next step 62.5 kg.\n"
        "\n"
        "WHAT CHANGED\n"
        "Up: Bench Press (Barbell) (60 kg × 5 → 62.5 kg × 5)\n"
    )


def test_a_pound_gym_reads_pounds() -> None:
    record = BrokenRecord(
        exercise_title="Squat (Barbell)",
        exercise_type="weight_reps",
        kind="load",
        value=61.23,
        gain=2.2679,
        weight_kg=61.23,
        reps=5,
        day=date(2026, 3, 3),
    )
    athlete = profile(equipment={"unit": "lb"})
    told = briefing_of(
        athlete, journaled(equipment={"unit": "lb"}), Progress(records=(record,)), TODAY
    )
    assert lines(told, "Progress") == [
        "★ Squat (Barbell): heaviest yet, 135 lb × 5 (+5 lb), yesterday"
    ]
    assert " kg" not in told.markdown()


def test_progress_is_the_week_the_records_and_what_rises() -> None:
    week = Week(
        week_start=date(2026, 3, 2), workouts=2, streak_weeks=1, planned_sets=30, met_sets=27
    )
    rises = tuple(
        Rise(exercise_title=f"Lift {number}", slope_pct=3 - number / 2, workouts=9)
        for number in range(5)
    )
    told = briefing_of(profile(), None, Progress(this_week=week, rises=rises), TODAY, no_plan="No.")
    assert lines(told, "Progress") == [
        "This week: 2 workouts, 1 week in a row; 27 of 30 planned sets done as planned or better",
        "Rising: Lift 0 (+3.0 % a workout over 9), Lift 1 (+2.5 % a workout over 9), "
        "Lift 2 (+2.0 % a workout over 9)",
    ]


def test_a_week_that_was_reviewed_today_is_told() -> None:
    review = WeeklyReview(
        week_start=date(2026, 2, 23),
        workout_count=2,
        muscles=(),
        summary="2 workouts this week.",
        highlights=("The bench improved.",),
        focus="Go on as planned.",
    )
    reviewed = StoredReview(review, "engine", None, NOW)
    told = briefing_of(profile(), journaled(), NOTHING, TODAY, review=reviewed)
    by_rules = ["2 workouts this week.", "The bench improved.", "Next: Go on as planned."]
    assert lines(told, "Last week") == by_rules
    by_model = replace(reviewed, decided_by="google:flash")
    told = briefing_of(profile(), journaled(), NOTHING, TODAY, review=by_model)
    assert lines(told, "Last week") == [
        *by_rules,
        "Coach's comment, written by google:flash, a language model.",
    ]
    assert lines(briefing_of(profile(), journaled(), NOTHING, TODAY), "Last week") == []


def commented(**texts: Any) -> JournaledPlan:
    found = journaled()
    words = CoachWords(decided_by="google:flash", prompt_version="p", **texts)
    return replace(found, plan=found.plan.model_copy(update={"words": words}))


def test_the_comment_of_a_model_is_marked_and_in_every_form_of_the_briefing() -> None:
    """It was missing in the briefing and in the notifications."""
    found = commented(summary="Keep it up.", adjustments=("The bench stays.",), reasoning="Steady.")
    told = briefing_of(profile(), found, NOTHING, TODAY)
    assert lines(told, "Coach's comment") == [
        "Keep it up.",
        "The bench stays.",
        "Steady.",
        "Written by google:flash, a language model.",
    ]
    assert "## Coach's comment\n\n- Keep it up." in told.body()
    assert "COACH'S COMMENT\nKeep it up." in told.plain()
    assert "Keep it up." in told.written(now=NOW, run_id="run").markdown


def test_a_comment_without_a_sentence_that_can_be_shown_is_no_section() -> None:
    told = briefing_of(profile(), commented(summary=""), NOTHING, TODAY)
    assert lines(told, "Coach's comment") == []


def test_what_a_model_tells_of_the_last_workout_is_marked() -> None:
    insight = Insight(insight="It went well.", action="Keep it up.", category="progress")
    found = journaled()
    found = replace(found, plan=found.plan.model_copy(update={"insight": insight}))
    said = CommentAuthor(
        kind="insight", subject="w", said_at=NOW, decided_by="google:flash", prompt_version="p"
    )
    latest = Progress(
        latest=TrainedWorkout(title="Upper A", day=TODAY, working_sets=5, minutes=None)
    )
    for remarks, why in (
        ((), "It went well. Keep it up."),
        ((said,), "Coach's comment: It went well. Keep it up."),
    ):
        told = briefing_of(profile(), replace(found, remarks=remarks), latest, TODAY)
        (changed,) = [each for each in told.sections if each.heading == "What changed"]
        assert changed.items[0].why == why


@pytest.mark.parametrize(
    ("kind", "numbers", "expected"),
    [
        ("load", {"weight_kg": 100, "reps": 5}, "heaviest yet, 100 kg × 5 (+2.5 kg)"),
        (
            "e1rm",
            {"weight_kg": 100, "reps": 5},
            "best estimated maximum yet, 116.7 kg from 100 kg × 5",
        ),
        ("reps", {"weight_kg": 60, "reps": 12}, "most yet, 116.7 reps with 60 kg (+2.5)"),
        ("reps", {"weight_kg": None, "reps": 12}, "most yet, 116.7 reps (+2.5)"),
        ("duration", {"weight_kg": None, "reps": None}, "most yet, 116.7 s (+2.5)"),
        ("distance", {"weight_kg": 24, "reps": None}, "most yet, 116.7 m with 24 kg (+2.5)"),
    ],
)
def test_each_kind_of_record_has_its_words(
    kind: str, numbers: dict[str, Any], expected: str
) -> None:
    record = BrokenRecord(
        exercise_title="Lift",
        exercise_type="weight_reps",
        kind=kind,
        value=116.7,
        gain=2.5,
        day=TODAY,
        **numbers,
    )
    told = briefing_of(profile(), None, Progress(records=(record,)), TODAY, no_plan="No.")
    assert lines(told, "Progress") == [f"★ Lift: {expected}, today"]


def test_less_help_is_a_record_of_ones_own_strength() -> None:
    record = BrokenRecord(
        exercise_title="Pull Up (Assisted)",
        exercise_type="bodyweight_assisted",
        kind="load",
        value=-20,
        gain=5,
        weight_kg=20,
        reps=8,
        day=TODAY,
    )
    told = briefing_of(profile(), None, Progress(records=(record,)), TODAY, no_plan="No.")
    assert lines(told, "Progress") == [
        "★ Pull Up (Assisted): least help yet, 20 kg of assistance × 8 (+5 kg of your own), today"
    ]


def test_what_to_look_at_comes_before_what_is_only_good_to_know() -> None:
    told = briefing_of(
        profile(),
        journaled("conflict"),
        Progress(doubted=1),
        TODAY,
        problems=["Not in Hevy: The routine was edited since it was read."],
    )
    assert lines(told, "Look at") == [
        "Not in Hevy: The routine was edited since it was read.",
        "1 set of the last weeks looks mistyped: spotter correct list",
    ]


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        (date(2026, 3, 4), ["Spring meet: 102 days to go: Sunday, 14 June 2026"]),
        (date(2026, 6, 10), ["Spring meet: 4 days to go, in the taper: Sunday, 14 June 2026"]),
        (date(2026, 6, 13), ["Spring meet: tomorrow, in the taper: Sunday, 14 June 2026"]),
        (date(2026, 6, 14), ["Spring meet: today, in the taper: Sunday, 14 June 2026"]),
        (date(2026, 6, 15), []),
    ],
)
def test_the_days_to_the_event_are_counted_until_it_is_over(
    today: date, expected: list[str]
) -> None:
    athlete = profile(goal={"date": date(2026, 6, 14), "event": "Spring meet"})
    assert lines(briefing_of(athlete, None, NOTHING, today, no_plan="No."), "Ahead") == expected


def test_the_week_of_the_phase_and_a_planned_deload_are_told() -> None:
    athlete = profile(
        block_start=date(2026, 1, 26),
        phases=[{"kind": "base", "weeks": 8}],
    )
    told = briefing_of(athlete, None, NOTHING, TODAY, no_plan="No.")
    assert lines(told, "Ahead") == ["Phase: base, week 6 of 8", "This week is a planned deload."]


def test_the_week_of_a_followed_programme_is_ahead() -> None:
    known = journaled()
    week = PlanBlock(
        programme_id="prog_1", title="Block", week=2, weeks=5, phase=None, text="Week 2 of 5."
    )
    plan = known.plan.model_copy(update={"block": week})
    told = briefing_of(profile(), replace(known, plan=plan), NOTHING, TODAY)
    assert lines(told, "Ahead") == ["Block: Week 2 of 5."]


def test_without_a_plan_it_says_why() -> None:
    latest = TrainedWorkout(title="Upper A", day=date(2026, 2, 20), working_sets=12, minutes=None)
    told = briefing_of(profile(), None, Progress(latest=latest), TODAY, no_plan="All hurts.")
    assert (told.title, told.plan_id, told.lead[-1]) == (
        "No workout is planned",
        None,
        "All hurts.",
    )
    assert lines(told, "What changed") == [
        "Last workout: Upper A, on Friday, 20 February 2026: 12 working sets."
    ]
    assert [section.heading for section in told.sections] == ["What changed"]


def test_titles_from_outside_stay_plain_text() -> None:
    """Mails are made from the Markdown: a routine's title must neither format nor link anything."""
    latest = TrainedWorkout(
        title="<img src=x> [a](http://b) *c*\n# d", day=TODAY, working_sets=1, minutes=5
    )
    told = briefing_of(profile(), None, Progress(latest=latest), TODAY, no_plan="No.").markdown()
    assert "<img" not in told
    assert r"&lt;img src=x&gt; \[a\](http://b) \*c\* \# d" in told
    assert "\n# d" not in told


def test_the_same_day_with_the_same_news_has_the_same_hash_and_another_day_another() -> None:
    first = briefing_of(profile(), journaled(), NOTHING, TODAY)
    later = briefing_of(profile(), journaled(), NOTHING, TODAY)
    digests = [each.written(now=NOW, run_id="run").content_sha256 for each in (first, later)]
    assert digests[0] == digests[1]
    tomorrow = briefing_of(profile(), journaled(), NOTHING, date(2026, 3, 5))
    assert tomorrow.written(now=NOW, run_id="run").content_sha256 != digests[0]
    waiting = briefing_of(profile(), journaled("conflict"), NOTHING, TODAY)
    assert waiting.written(now=NOW, run_id="run").content_sha256 != digests[0]


@pytest.mark.parametrize(
    ("limit_h", "hours", "is_late"), [(36, 36, False), (36, 37, True), (2, 3, True)]
)
def test_data_too_old_to_publish_from_are_worth_a_look(
    limit_h: int, hours: int, is_late: bool
) -> None:
    athlete = profile()
    wishes = athlete.publish.model_copy(update={"max_sync_age_hours": limit_h})
    athlete = athlete.model_copy(update={"publish": wishes})
    assert bool(late_reading(athlete, NOW, NOW + timedelta(hours=hours))) == is_late
    assert late_reading(athlete, None, NOW + timedelta(hours=hours)) == ""
