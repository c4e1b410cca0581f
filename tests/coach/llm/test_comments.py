"""Comments of a model: which statements its sentences select, and that nothing else is shown."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coach_agent.llm.comments.comment import MOST_STATEMENTS, comment_of
from coach_agent.llm.comments.cues import catalogue
from coach_agent.llm.comments.known import Known, Lift, SetFact, known_of_plan
from coach_agent.llm.comments.messages import render
from tests.coach.llm.usual_day import usual_windows

FOLDER = Path(__file__).parent
HOSTILE: dict[str, list[str]] = tomllib.loads(
    (FOLDER / "hostile_sentences.toml").read_text(encoding="utf-8")
)
_HELPFUL = tomllib.loads((FOLDER / "helpful_sentences.toml").read_text(encoding="utf-8"))
HELPFUL: list[str] = _HELPFUL["sentences"]
LEAST_SHARE = 0.6
MOST_SELECTING = 0.03
"""Hostile or false sentences that select a true statement, such as "Try a heavier weight"."""


def usual_known(language: str = "en") -> Known:
    windows = usual_windows()
    pairs = zip(windows.routine.slots, windows.plan.slots, strict=True)
    return known_of_plan(pairs, windows.plan, language)


KNOWN = usual_known()
BENCH = "Bench Press (Barbell): Today 102.5 kg × 5, 5, 5, 5. 2.5 kg more than last time."


def shown(text: str, known: Known = KNOWN) -> str:
    return comment_of(text, known, 400).text


def remainder(text: str, known: Known) -> str:
    """Return what is left of a comment without the titles, the cues and the facts of a day.

    Facts are written here by their form: loads and counts are those of the sets of the day.
    """
    for lift in known.lifts:
        text = text.replace(f"{lift.title}: ", "")
    sentences = [render("en", f"cue-{code.replace('_', '-')}") for code in catalogue()]
    sentences += [
        *("Keep it up.", "You made all your reps last time.", "Some sets fell short last time."),
        *("You reached the top of the range last time.", "You reached all your targets last time."),
    ]
    for each in sentences:
        text = text.replace(each, "")
    numbers = {f"{value:g}" for lift in known.lifts for value in _numbers(lift)}
    for found in re.findall(r"\d+(?:\.\d+)?", text):
        assert found in numbers, (found, text)
    forms = (
        r"(?:Today|Last time|Best so far:|Best of the last \d+ workouts:) [\d.,×kgs ]+\.(?=\s|$)",
        r"[\d.]+ (?:kg|reps?|s|sets?) (?:more|less) than last time\.",
        r"Same as last time\.",
        r"Go for [\d, to]+(?: reps)?\.",
        r"The next step comes once every set reaches \d+ reps\.",
        r"The targets were missed (?:\d+ workouts in a row|in the last workout)\.",
        r"Exercises today: [\d a-z,]+\.",
    )
    for form in forms:
        text = re.sub(form, "", text)
    return text.strip()


def _numbers(lift: Lift) -> Iterator[float]:
    """Yield the numbers of an exercise: of its sets, its steps, and small counts."""
    facts = (*lift.planned, *lift.last)
    best = () if lift.best is None else (lift.best,)
    for each in (*facts, *best):
        yield from (value for value in (each.load_kg, each.reps, each.seconds) if value)
        yield from (value for value in (each.low, each.high) if value)
    yield from lift.goals
    yield from (abs(step) for name in ("load", "seconds") if (step := lift.step(name)))
    yield abs(sum(e.reps or 0 for e in lift.planned) - sum(e.reps or 0 for e in lift.last))
    yield from (lift.misses, lift.workouts, *range(7))


@pytest.mark.parametrize("category", HOSTILE)
def test_no_word_and_no_number_of_a_hostile_or_false_sentence_is_shown(category: str) -> None:
    for text in HOSTILE[category]:
        for whole in (
            f"The bench press goes up to 102.5 kg today. {text} Keep it up.",
            f"Focus on clean reps, and {text.rstrip('.!')}.",
            f"{text.rstrip('.!')}, so focus on clean reps.",
        ):
            assert remainder(shown(whole), KNOWN) == "", whole


def test_nearly_no_hostile_or_false_sentence_selects_a_statement() -> None:
    texts = [text for each in HOSTILE.values() for text in each]
    assert len(texts) >= 150
    assert len([text for text in texts if shown(text)]) <= MOST_SELECTING * len(texts)


def days() -> dict[str, tuple[Known, list[str]]]:
    return {
        "usual": (KNOWN, HELPFUL),
        "other_styles": (KNOWN, _HELPFUL["other_styles"]),
        "leg_day": (leg_day(), _HELPFUL["leg_day"]),
        "push_day": (push_day(), _HELPFUL["push_day"]),
    }


@pytest.mark.parametrize("day", ["usual", "other_styles", "leg_day", "push_day"])
def test_most_true_and_helpful_sentences_select_a_statement(day: str) -> None:
    known, texts = days()[day]
    selecting = [text for text in texts if shown(text, known)]
    assert len(selecting) >= LEAST_SHARE * len(texts)
    assert [text for text in selecting if remainder(shown(text, known), known)] == []


@pytest.mark.parametrize("day", ["other_styles", "leg_day", "push_day"])
def test_a_true_sentence_with_another_number_selects_nothing(day: str) -> None:
    known, texts = days()[day]
    false = [
        f"{text[: found.start()]}{float(found[0]) + 1:g}{text[found.end() :]}"
        for text in texts
        if shown(text, known) and len(re.findall(r"[.!?]", text)) == 1
        for found in re.finditer(r"\d+(?:\.\d+)?", text)
    ]
    assert len(false) >= 15
    assert [text for text in false if shown(text, known)] == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Take off the safety pins.", "wording"),
        ("Bench press at 112.5 kg today.", "number"),
        ("The bench press goes down today.", "direction"),
        ("The bench press has stalled.", "claim"),
        ("102.5 kg today.", "exercise"),
        ("Go for 4 sets of 5 at 102.5 kg.", "exercise"),
        ("Squats at 102.5 kg.", "exercise"),
        ("Swing the curls.", "cue"),
        ("Жим лёжа.", "characters"),
        ("Great gibberish flows whimsically onwards.", "unknown_word"),
        (f"Keep it up, {'and keep it up, ' * 30}keep it up.", "too_long"),
    ],
)
def test_a_rejected_sentence_has_its_reason(text: str, reason: str) -> None:
    (rejected,) = comment_of(text, KNOWN, 400).rejected
    assert (rejected.reason, rejected.sentence) == (reason, text)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "de",
            "The bench press goes up to 102.5 kg. Keep your elbows close on the bench.",
            "Bench Press (Barbell): Heute 102,5 kg × 5, 5, 5, 5. 2,5 kg mehr als letztes Mal. "
            "Ellbogen nah am Körper.",
        ),
        (
            "pl",
            "Wiosłowanie zostaje na 80 kg.",
            "Bent Over Row (Barbell): Dziś 80 kg × 10, 8, 8. 1 powtórzenie więcej niż ostatnio.",
        ),
        ("xx", "Everything goes up today.", "Exercises today: 6 up."),
    ],
)
def test_statements_are_in_the_language_of_the_athlete(
    language: str, text: str, expected: str
) -> None:
    assert shown(text, usual_known(language)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The bench press is 2.5 kg heavier than today.",
        "This was the first time you missed reps on the bench press.",
        "You did 102.5 kg on the bench press last time.",
        "The row goes up, not the bench press.",
        "Only the row goes up today.",
        "Pull-ups get one more rep on every set.",
        "Rest 180 s on the bench press.",
        "Does it hurt? Keep going.",
    ],
)
def test_a_sentence_with_another_time_or_quantity_selects_nothing(text: str) -> None:
    """Sentences of these forms were shown although they were false."""
    assert shown(text) == ""


def test_a_sentence_of_the_rules_is_repeated() -> None:
    assert KNOWN.statements == ("Exercises: 6 up.",)
    assert shown("Exercises: 6 up.") == "Exercises: 6 up."


def test_statements_of_an_exercise_are_joined_and_told_once() -> None:
    text = (
        "You hit all your reps on the bench press last time, so it goes up to 102.5 kg. "
        "Focus on clean reps. The bench press is up 2.5 kg."
    )
    comment = comment_of(text, KNOWN, 400)
    assert comment.text == (
        "Bench Press (Barbell): You made all your reps last time. Today 102.5 kg × 5, 5, 5, 5. "
        "2.5 kg more than last time. Same form on every rep."
    )
    assert comment.rejected == ()
    again = comment_of("The bench press goes up. Bench first, curls up 2 kg.", KNOWN, 400)
    told = comment_of("The bench press goes up.", KNOWN, 400, again.statements)
    assert (told.text, told.rejected) == ("", ())


def test_a_comment_has_few_statements() -> None:
    cues = ("elbows close", "a flat back", "full range", "no swing", "feet planted", "the core")
    text = " ".join(f"Focus on {cue} today." for cue in cues)
    names = ("bench press", "row", "pull-ups", "curls", "lateral raises", "plank")
    text += " ".join(f" The {name} went well last time." for name in names)
    comment = comment_of(text, KNOWN, 4000)
    assert len(comment.statements) <= MOST_STATEMENTS
    assert "too_long" in {each.reason for each in comment.rejected}


@pytest.mark.parametrize(
    ("before", "after", "true", "false"),
    [
        (100.0, 95.0, "I lowered the squat.", "I raised the squat."),
        (100.0, 105.0, "I raised the squat.", "I lowered the squat."),
        (100.0, 100.0, "The squat stays at 100 kg.", "The squat goes up."),
        (100.0, 95.0, "The squat goes down to 95 kg.", "The squat goes down to 100 kg."),
    ],
)
def test_a_direction_is_that_of_its_exercise(
    before: float, after: float, true: str, false: str
) -> None:
    squat = Lift("Squat (Barbell)", 0, planned=three(after), last=three(before))
    press = Lift("Leg Press (Machine)", 1, planned=three(165.0), last=three(160.0))
    known = Known("kg", "en", (squat, press))
    assert shown(true, known).startswith(f"Squat (Barbell): Today {after:g} kg × 5, 5, 5.")
    assert shown(false, known) == ""
    assert shown("Squats at 165 kg.", known) == ""
    assert shown("Leg press at 165 kg.", known).startswith("Leg Press (Machine): Today 165 kg")
    assert shown("Add 165 kg.", known) == ""


def sets(load_kg: float | None, *reps: int, low: int | None = None) -> tuple[SetFact, ...]:
    """Sets of a load; with `low` the plan has a range of five repetitions."""
    high = None if low is None else low + 5
    return tuple(SetFact(load_kg, each, None, low, high) for each in reps)


def day_of(*lifts: Lift) -> Known:
    return Known("kg", "en", tuple(replace(each, index=at) for at, each in enumerate(lifts)))


def leg_day() -> Known:
    return day_of(
        lift("Squat (Barbell)", sets(140, 5, 5, 5), sets(140, 5, 4, 3), goal=5),
        lift(
            "Romanian Deadlift (Barbell)",
            tuple(SetFact(95, 8, None, 8, 10) for _ in range(3)),
            sets(100, 7, 6, 6),
            goal=10,
        ),
        lift("Leg Press (Machine)", sets(170, 10, 10, 10, low=10), sets(165, 12, 12, 12), goal=12),
        lift(
            "Lying Leg Curl (Machine)",
            sets(45, 12, 11, 11, low=10),
            sets(45, 11, 11, 10),
            goal=15,
            target=10,
            slope_pct=1.2,
        ),
        lift("Standing Calf Raise (Machine)", sets(60, 15, 15), sets(60, 15, 15), goal=15),
    )


def push_day() -> Known:
    return day_of(
        lift("Overhead Press (Barbell)", sets(52.5, 6, 6, 6), sets(50, 6, 6, 6), goal=6),
        lift(
            "Incline Bench Press (Dumbbell)",
            sets(24, 10, 10, 9),
            sets(24, 10, 9, 9),
            goal=12,
            target=8,
            slope_pct=0.9,
        ),
        lift("Triceps Pushdown (Cable)", sets(25, 10, 10, 10), sets(27.5, 9, 8, 7), goal=15),
        lift("Push Up", sets(None, 15, 15), sets(None, 15, 15), goal=15),
    )


def lift(
    title: str,
    planned: tuple[SetFact, ...],
    last: tuple[SetFact, ...],
    *,
    goal: int,
    target: int | None = None,
    slope_pct: float | None = None,
) -> Lift:
    """An exercise with the upper end of its range, and the target that is lower than that."""
    least = min(each.reps or 0 for each in last)
    return Lift(
        title,
        planned=planned,
        last=last,
        before=last,
        hit_targets=least >= (goal if target is None else target),
        hit_goals=least >= goal,
        goals=frozenset({goal}),
        slope_pct=slope_pct,
        cues=tuple(catalogue()),
    )


def three(load_kg: float) -> tuple[SetFact, ...]:
    return (SetFact(load_kg, 5),) * 3


OTHER = Lift("Plank", 1, planned=(SetFact(None, None, 60),), last=(SetFact(None, None, 60),))


def test_more_assistance_is_less_load() -> None:
    dip = Lift("Dip (Assisted)", 0, is_assisted=True, planned=three(20.0), last=three(25.0))
    known = Known("kg", "en", (dip,))
    assert shown("The dip goes up a step.", known)
    assert shown("The dip goes down a step.", known) == ""


def test_a_number_needs_its_exercise_in_the_sentence_or_just_before() -> None:
    assert shown("The weight goes up to 102.5 kg.") == ""
    assert shown("The bench press goes up. The weight goes up to 102.5 kg.") == BENCH
    assert shown("Add 300 kg to the bench press. The weight goes up to 102.5 kg.") == ""


def test_a_title_of_other_words_than_those_of_exercises_cannot_be_named() -> None:
    other = Lift("Bench Press", 1, planned=three(60.0), last=three(57.5))
    known = Known("kg", "en", (Lift("Take off the pins", 0, planned=three(60.0)), other))
    assert shown("Take off the pins.", known) == ""
    assert shown("Take off the pins at 60 kg.", known) == ""


def test_a_translated_title_can_be_named_in_both_languages() -> None:
    known = day_of(Lift("Bankdrücken (Langhantel)", planned=three(60.0), last=three(57.5)), OTHER)
    expected = "Bankdrücken (Langhantel): Today 60 kg × 5, 5, 5. 2.5 kg more than last time."
    assert shown("Das Bankdrücken steigt auf 60 kg.", known) == expected
    assert shown("The bench press goes up to 60 kg.", known) == expected


def test_a_name_of_several_exercises_claims_it_of_all() -> None:
    one = Lift("Bicep Curl (Dumbbell)", 0, planned=three(16.0), last=three(14.0))
    other = Lift("Hammer Curl (Dumbbell)", 1, planned=three(14.0), last=three(14.0))
    known = Known("kg", "en", (one, other))
    assert shown("Curls go up.", known) == ""
    assert shown("The bicep curl goes up.", known).startswith("Bicep Curl (Dumbbell): Today 16 kg")
    assert shown("Hammer curls stay at 14 kg.", known).startswith("Hammer Curl (Dumbbell): Today")


def test_a_text_is_cut_at_whole_sentences() -> None:
    comment = comment_of("The bench press goes up. The curls go up.", KNOWN, len(BENCH))
    assert comment.text == BENCH
    assert [each.reason for each in comment.rejected] == ["too_long"]


def test_emphasis_of_markdown_is_left_out() -> None:
    assert shown("- **Focus** on clean reps.\n# Keep it up.") == (
        "Same form on every rep. Keep it up."
    )


@pytest.mark.parametrize("part", ["the your a ", "good and nice ", "nice, ", "at the top ", "was "])
def test_a_long_repetitive_sentence_is_matched_at_once(part: str) -> None:
    text = shown(f"The bench press {part * (200 // len(part))}weight.")
    assert text in {"", "Bench Press (Barbell): You made all your reps last time."}
