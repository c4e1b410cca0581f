"""The permitted statements about a day or a week: true by construction, rendered by code."""

from collections.abc import Iterable
from dataclasses import dataclass

from coach_agent.llm.comments.facts import fact_text, has_range
from coach_agent.llm.comments.known import Known, Lift
from coach_agent.llm.comments.messages import render


@dataclass(frozen=True)
class Statement:
    """A statement: its kind, and the exercise that it is about, by its place in the facts.

    Kinds about an exercise are planned, last_time, record, target, trend, done, short, misses,
    next, flat, easy; those without are day, all_done, went_well, week, keep_going, easy.
    "cue <code>" is either.
    "rule" repeats a sentence of the rules.
    """

    kind: str
    lift: int | None = None
    sentence: str = ""


def statement_text(statement: Statement, known: Known) -> str | None:
    """Render a statement in the language of the facts; None if it does not hold."""
    if statement.kind == "rule":
        return statement.sentence
    if statement.kind.startswith("cue "):
        return _cue(statement, known)
    if statement.lift is None:
        return _of_the_whole(statement.kind, known)
    return _of_a_lift(statement.kind, known.lifts[statement.lift], known)


def comment_text(statements: Iterable[Statement], known: Known) -> str:
    """Render statements; those about the same exercise are joined where the first one is."""
    groups: dict[int | str, list[str]] = {}
    for statement in dict.fromkeys(statements):
        text = statement_text(statement, known)
        if text is not None:
            groups.setdefault(text if statement.lift is None else statement.lift, []).append(text)
    texts = []
    for group, parts in groups.items():
        text = " ".join(parts)
        if isinstance(group, int):
            text = render(known.language, "about", title=known.lifts[group].title, text=text)
        texts.append(text)
    return " ".join(texts)


def next_count(lift: Lift) -> int | None:
    """Return the repetitions that each set needs before the next step; None without such a goal."""
    if lift.hit_goals is not False or len(lift.goals) != 1:
        return None
    return max(lift.goals)


def change_counts(known: Known) -> tuple[int, int, int]:
    """Return the number of planned exercises that go up, stay, and go down."""
    found = [each.direction("any") for each in known.trained if each.planned]
    return found.count(1), found.count(0), found.count(-1)


def _of_a_lift(kind: str, lift: Lift, known: Known) -> str | None:
    language = known.language
    if kind == "planned":
        planned = fact_text("planned", lift, known.unit, language)
        step = fact_text("step", lift, known.unit, language) if lift.last else None
        return planned and f"{planned} {step}" if step else planned
    if kind == "last_time":
        return fact_text("last_time", lift, known.unit, language)
    if kind == "record":
        return fact_text("record", lift, known.unit, language)
    if kind == "target":
        return fact_text("target", lift, known.unit, language) if has_range(lift) else None
    if kind == "trend":
        return fact_text("trend", lift, known.unit, language)
    if kind == "done" and lift.hit_targets:
        is_top = lift.hit_goals and any(each.low != each.high for each in lift.planned)
        return render(language, "reason-top-of-range" if is_top else "reason-all-reps-done")
    if kind == "short" and lift.hit_targets is False:
        return render(language, "reason-fell-short")
    if kind == "misses" and lift.misses:
        return render(language, "misses", workouts=lift.misses)
    if kind == "next" and (count := next_count(lift)) is not None:
        return render(language, "next-step", count=count)
    if kind == "flat" and lift.is_stalled:
        return render(language, "reason-flat")
    if kind == "easy" and lift.is_easy:
        return render(language, "reason-easy-day")
    return None


def _of_the_whole(kind: str, known: Known) -> str | None:
    language = known.language
    if kind == "day" and any(change_counts(known)):
        names = ("day-up", "day-same", "day-down")
        counts = zip(names, change_counts(known), strict=True)
        parts = [render(language, name, count=count) for name, count in counts if count]
        return render(language, "day", parts=", ".join(parts))
    results = [each.hit_targets for each in known.trained]
    if kind in {"all_done", "went_well"} and any(results) and False not in results:
        return render(language, "all-targets-reached")
    if kind == "went_well" and results.count(True) > results.count(False):
        return render(language, "most-targets-reached")
    if kind == "easy" and known.is_deload:
        return render(language, "reason-easy-day")
    if kind == "week" and known.workouts is not None:
        return render(language, "week", workouts=known.workouts)
    if kind == "keep_going":
        return render(language, "keep-going")
    return None


def _cue(statement: Statement, known: Known) -> str | None:
    code = statement.kind.removeprefix("cue ")
    lifts = known.trained if statement.lift is None else (known.lifts[statement.lift],)
    if not any(code in each.cues for each in lifts):
        return None
    return render(known.language, f"cue-{code.replace('_', '-')}")
