"""Comments of a model: what hostile and false sentences come to, and what true ones do."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from coach_agent.llm.comments.claims import CLAIMS
from coach_agent.llm.comments.comment import comment_of
from coach_agent.llm.comments.grammar import GrammarError, grammar, read_grammar
from coach_agent.llm.comments.known import Known, Lift, SetFact, known_of_plan
from tests.llm.usual_day import usual_windows

FOLDER = Path(__file__).parent
HOSTILE: dict[str, list[str]] = tomllib.loads(
    (FOLDER / "hostile_sentences.toml").read_text(encoding="utf-8")
)
_HELPFUL = tomllib.loads((FOLDER / "helpful_sentences.toml").read_text(encoding="utf-8"))
HELPFUL: list[str] = _HELPFUL["sentences"]
LEAST_HOSTILE, LEAST_HELPFUL, LEAST_SHOWN, LEAST_SHARE = 150, 60, 50, 0.85


def usual_known(language: str = "en") -> Known:
    windows = usual_windows()
    pairs = zip(windows.routine.slots, windows.plan.slots, strict=True)
    return known_of_plan(pairs, windows.plan, language)


KNOWN = usual_known()


def shown(text: str, known: Known = KNOWN) -> str:
    return comment_of(text, known, 400).text


@pytest.mark.parametrize("category", HOSTILE)
def test_no_hostile_or_false_sentence_is_shown(category: str) -> None:
    assert [text for text in HOSTILE[category] if shown(text)] == []


@pytest.mark.parametrize("category", HOSTILE)
def test_a_true_sentence_beside_it_lets_no_hostile_one_through(category: str) -> None:
    for text in HOSTILE[category]:
        for whole in (
            f"Focus on clean reps. {text}",
            f"{text}\nFocus on clean reps.",
            f"The bench press goes up to 102.5 kg today. {text} Keep it up.",
        ):
            kept = shown(whole)
            assert kept.replace(" Keep it up.", "") in {
                "Focus on clean reps.",
                "The bench press goes up to 102.5 kg today.",
                "",
                "Keep it up.",
            }, text


@pytest.mark.parametrize("category", HOSTILE)
def test_a_hostile_clause_drops_the_sentence_that_it_is_joined_to(category: str) -> None:
    for text in HOSTILE[category]:
        clause = text.rstrip(".!")
        for whole in (f"Focus on clean reps, and {clause}.", f"{clause}, so focus on clean reps."):
            assert shown(whole) == "", whole


def test_hostile_and_helpful_sentences_are_enough_to_judge_by() -> None:
    assert sum(map(len, HOSTILE.values())) >= LEAST_HOSTILE
    assert len(HELPFUL) >= LEAST_HELPFUL


def days() -> dict[str, tuple[Known, list[str]]]:
    return {
        "usual": (KNOWN, HELPFUL),
        "other_styles": (KNOWN, _HELPFUL["other_styles"]),
        "leg_day": (leg_day(), _HELPFUL["leg_day"]),
        "push_day": (push_day(), _HELPFUL["push_day"]),
    }


@pytest.mark.parametrize("day", ["usual", "other_styles", "leg_day"])
def test_most_true_and_helpful_sentences_are_shown(day: str) -> None:
    known, texts = days()[day]
    count = len([text for text in texts if shown(text, known) == text.replace("@", "at")])
    assert count >= max(LEAST_SHOWN, LEAST_SHARE * len(texts))


@pytest.mark.parametrize("day", ["other_styles", "leg_day", "push_day"])
def test_no_number_of_a_true_sentence_can_be_another_one(day: str) -> None:
    known, texts = days()[day]
    true = [text for text in texts if shown(text, known) == text]
    false = [
        f"{text[: found.start()]}{float(found[0]) + 1:g}{text[found.end() :]}"
        for text in true
        for found in re.finditer(r"\d+(?:\.\d+)?", text)
    ]
    assert len(false) >= 20
    assert [text for text in false if shown(text, known) == text] == []


def test_sentences_about_a_plan_of_the_same_exercises_that_says_otherwise_are_not_shown() -> None:
    """Each number and direction is compared: few sentences are true of two plans."""
    known, texts = days()["push_day"]
    claims = [text for text in texts if any(char.isdigit() for char in text)]
    others = tuple(
        replace(lift, planned=sets(41.0, 3, 3), last=(), before=(), hit_goals=True)
        for lift in known.lifts
    )
    assert claims
    assert [text for text in claims if shown(text, replace(known, lifts=others))] == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Take off the safety pins.", "unknown_word"),
        ("Keep the bar at the heels.", "wording"),
        ("Bench press at 112.5 kg today.", "number"),
        ("The bench press goes down today.", "direction"),
        ("The bench press has stalled.", "claim"),
        ("102.5 kg today.", "exercise"),
        ("Go for 4 sets of 5 at 102.5 kg.", "exercise"),
        ("Жим лёжа.", "characters"),
        (f"Keep it up, {'and keep it up, ' * 30}keep it up.", "too_long"),
    ],
)
def test_a_rejected_sentence_has_its_reason(text: str, reason: str) -> None:
    (rejected,) = comment_of(text, KNOWN, 400).rejected
    assert (rejected.reason, rejected.sentence) == (reason, text)


def test_a_language_without_a_grammar_has_no_comment() -> None:
    comment = comment_of("Focus on clean reps.", replace(KNOWN, language="de"), 400)
    assert (comment.text, comment.rejected[0].reason) == ("", "language")


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
    assert (shown(true, known), shown(false, known)) == (true, "")
    assert shown("Squats at 165 kg.", known) == ""
    assert shown("Leg press at 165 kg.", known) == "Leg press at 165 kg."
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
    )


def three(load_kg: float) -> tuple[SetFact, ...]:
    return (SetFact(load_kg, 5),) * 3


def test_more_assistance_is_less_load() -> None:
    dip = Lift("Dip (Assisted)", 0, is_assisted=True, planned=three(20.0), last=three(25.0))
    known = Known("kg", "en", (dip,))
    assert shown("The dip goes up a step.", known)
    assert shown("The dip goes down a step.", known) == ""


def test_a_number_needs_its_exercise_in_the_sentence_or_just_before() -> None:
    assert shown("The weight goes up to 102.5 kg.") == ""
    told = "The bench press goes up. The weight goes up to 102.5 kg."
    assert shown(told) == told
    assert shown("Add 300 kg to the bench press. The weight goes up to 102.5 kg.") == ""


def test_a_title_of_other_words_than_those_of_exercises_cannot_be_named() -> None:
    known = Known("kg", "en", (Lift("Take off the pins", 0, planned=three(60.0)),))
    assert shown("Take off the pins.", known) == ""
    assert shown("Take off the pins at 60 kg.", known) == ""


def test_a_name_of_several_exercises_claims_it_of_all() -> None:
    one = Lift("Bicep Curl (Dumbbell)", 0, planned=three(16.0), last=three(14.0))
    other = Lift("Hammer Curl (Dumbbell)", 1, planned=three(14.0), last=three(14.0))
    known = Known("kg", "en", (one, other))
    assert shown("Curls go up.", known) == ""
    assert shown("The bicep curl goes up.", known)
    assert shown("Hammer curls stay at 14 kg.", known)


def test_a_text_is_cut_at_whole_sentences() -> None:
    comment = comment_of("Keep it up. " * 10, KNOWN, 24)
    assert comment.text == "Keep it up. Keep it up."
    assert {each.reason for each in comment.rejected} == {"too_long"}


def test_emphasis_of_markdown_is_left_out() -> None:
    assert shown("- **Focus** on clean reps.\n# Keep it up.") == "Focus on clean reps. Keep it up."


def test_each_claim_of_the_grammar_can_be_compared_with_facts() -> None:
    rules = grammar("en")
    assert rules is not None
    assert {claim for claim, _ in rules.patterns} <= CLAIMS


@pytest.mark.parametrize("pattern", ["(open", "<missing>", "one | two)", "Größe"])
def test_a_malformed_pattern_is_an_error(pattern: str) -> None:
    text = (
        "joints = 'and'\npast_words = []\ndone_words = []\nopeners = []\nstatement = {}\n"
        "units = {}\nnumber_words = {}\ncontractions = {}\nsynonyms = {}\n"
        "ordinals = {}\nmacros = {}\n[exercises]\nheads = []\nwords = []\nshort = {}\n"
        "[adjuncts]\nanywhere = []\nwith_exercise = []\nleads = []\n"
        f"[clauses]\nnone = ['{pattern}']\n"
    )
    with pytest.raises(GrammarError):
        read_grammar("xx", text)


@pytest.mark.parametrize("part", ["the your a ", "good and nice ", "nice, ", "at the top ", "was "])
def test_a_sentence_with_many_readings_is_judged_at_once(part: str) -> None:
    """A word of two alternatives doubled the ways to match with each repetition."""
    assert shown(f"The bench press {part * (200 // len(part))}weight.") == ""
