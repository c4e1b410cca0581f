"""Sessions that fit a day besides lifting, as pure functions.

| day | what fits |
| --- | --- |
| workout | a warm-up for the muscles of the first exercises |
| rest | mobility for the muscles of the last two days; cardio if there was none for three days |
| easy week, or recovery below usual | a recovery session |

A hard session never fits, and a moderate one only on a rest day after two days without training. No
session loads a painful part of the body. The choice is the project's own judgement: endurance work
interferes with strength the more, the longer and the more often it is done (Wilson et al. 2012).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from coach_agent.domain.pain import Pain, Titled, load_on
from coach_agent.language.messages import join_words, name_of, phrase
from coach_agent.sessions.catalogue import Kind, Session

MUSCLE_DAYS = 2
"""Days after which the muscles of a workout are not named any more."""

CARDIO_DAYS = 3
"""Days without an endurance session after which one is suggested."""

LONGEST_WARM_UP_MIN = 15
"""The longest warm-up session before lifting (min)."""

_MOST_MUSCLES = 3

Reason = Literal["warm_up", "mobility", "cardio", "easy_week", "recovery"]


@dataclass(frozen=True)
class SessionDay:
    """Facts of an athlete's day that determine what fits.

    `planned` and `trained` are muscle groups of the next workout and of the last `MUSCLE_DAYS`
    days, most work first. `first_exercise` is that of the workout. `minutes_left` are those of the
    session's limit that the workout leaves; None without a limit.
    """

    today: date
    is_workout_day: bool
    is_easy_week: bool = False
    is_recovery_low: bool = False
    has_cardio: bool = False
    planned: tuple[str, ...] = ()
    first_exercise: str | None = None
    trained: tuple[str, ...] = ()
    minutes_left: float | None = None
    pains: tuple[Pain, ...] = ()


@dataclass(frozen=True)
class MatchedSession:
    """A session that fits, and why; `muscles` are those that both have."""

    session: Session
    reason: Reason
    muscles: tuple[str, ...] = ()
    exercise: str | None = None

    @property
    def text(self) -> str:
        """Return minutes, reason and link in the current language."""
        minutes = phrase("session-minutes", minutes=self.session.minutes)
        text = f"{minutes}, {self._reason_text()}"
        return text if self.session.link is None else f"{text}. {self.session.link}"

    def _reason_text(self) -> str:
        muscles = join_words(name_of("muscle", each) for each in self.muscles)
        if self.reason == "warm_up":
            return phrase("session-for-warm-up", exercise=self.exercise or "")
        if self.reason == "mobility":
            return phrase("session-for-mobility", muscles=muscles)
        if self.reason == "cardio":
            return phrase("session-for-cardio", days=CARDIO_DAYS)
        return phrase(f"session-for-{self.reason.replace('_', '-')}")


def matched_sessions(day: SessionDay, sessions: Sequence[Session]) -> tuple[MatchedSession, ...]:
    """Return at most one session for each reason of the day.

    The one with the most muscles in common is first; equals take turns by the day.
    """
    allowed = [each for each in sessions if _is_allowed(each, day)]
    return tuple(filter(None, (match(day, allowed) for match in _matches_of(day))))


_Match = Callable[[SessionDay, Sequence[Session]], MatchedSession | None]


def _matches_of(day: SessionDay) -> Iterator[_Match]:
    if day.is_workout_day and day.first_exercise is not None:
        yield _warm_up
    if day.is_easy_week or day.is_recovery_low:
        yield _recovery
    elif not day.is_workout_day:
        yield _mobility
        yield _cardio


def _warm_up(day: SessionDay, allowed: Sequence[Session]) -> MatchedSession | None:
    longest = LONGEST_WARM_UP_MIN
    if day.minutes_left is not None:
        longest = min(longest, int(day.minutes_left))
    found = _best(
        [each for each in allowed if each.kind == "warm_up" and each.minutes <= longest],
        day.planned,
        day.today,
    )
    if found is None:
        return None
    return MatchedSession(found[0], "warm_up", found[1], day.first_exercise)


def _mobility(day: SessionDay, allowed: Sequence[Session]) -> MatchedSession | None:
    found = _best(_of_kind("mobility", allowed), day.trained, day.today)
    return None if found is None else MatchedSession(found[0], "mobility", found[1])


def _cardio(day: SessionDay, allowed: Sequence[Session]) -> MatchedSession | None:
    if day.has_cardio:
        return None
    found = _in_turn(_of_kind("cardio", allowed), day.today)
    return None if found is None else MatchedSession(found, "cardio")


def _recovery(day: SessionDay, allowed: Sequence[Session]) -> MatchedSession | None:
    found = _in_turn(_of_kind("recovery", allowed), day.today)
    if found is None:
        return None
    return MatchedSession(found, "easy_week" if day.is_easy_week else "recovery")


def _is_allowed(session: Session, day: SessionDay) -> bool:
    is_rested = not (day.is_workout_day or day.is_easy_week or day.is_recovery_low or day.trained)
    if session.intensity == "hard" or (session.intensity == "moderate" and not is_rested):
        return False
    if day.pains and not session.muscles and session.kind != "recovery":
        return False  # It may load any part.
    primary, *others = session.muscles or (None,)
    loading = Titled(session.title or "", primary, tuple(filter(None, others)))
    return not any(load_on(pain.part, loading) for pain in day.pains)


def _of_kind(kind: Kind, sessions: Iterable[Session]) -> list[Session]:
    return [each for each in sessions if each.kind == kind]


def _best(
    sessions: Sequence[Session], wanted: Sequence[str], today: date
) -> tuple[Session, tuple[str, ...]] | None:
    """Return the session for the most wanted muscles, and these; None if no muscle is in common."""
    rank = {muscle: len(wanted) - place for place, muscle in enumerate(wanted)}
    scores = {each.id: sum(rank.get(muscle, 0) for muscle in each.muscles) for each in sessions}
    most = max(scores.values(), default=0)
    found = _in_turn([each for each in sessions if scores[each.id] == most], today)
    if not most or found is None:
        return None
    common = [muscle for muscle in wanted if muscle in found.muscles]
    return found, tuple(common[:_MOST_MUSCLES])


def _in_turn(sessions: Sequence[Session], today: date) -> Session | None:
    ordered = sorted(sessions, key=lambda each: each.id)
    return ordered[today.toordinal() % len(ordered)] if ordered else None
