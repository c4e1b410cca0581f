"""Which workouts of one source are the same performed workouts as which of another.

By content and never by a title or the text of a date: an export writes times in the zone that the
phone has at that moment, and titles are changed in retrospect. Two rules find a pair.

* Same content: the same sequence of sets, at the same time or moved as a change of zone moves it.
  One source has one shift, and beside it the hours next to it, for the part of a year in which the
  clocks differ. Which shift it is, most pairs say; no shift is preferred, because somebody who does
  the same workout every day seems to be moved by a day. Any other shift needs evidence.
* Changed content: the same minute under the source's shift, and something else in common.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from hevy_connector.csv_imports.performed import (
    MINUTE,
    Likeness,
    Performed,
    equal_set_count,
    is_same_content,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_SHIFT = timedelta()
HOUR = timedelta(hours=1)
# Zones differ by whole quarters of an hour, and from UTC-12 to UTC+14 by at most 26 hours.
SHIFT_STEP = timedelta(minutes=15)
MAX_SHIFT = timedelta(hours=26)
# One workout alone establishes no larger shift: at a day's distance it is more likely the same
# training on the next day.
MAX_SHIFT_OF_ONE = timedelta(hours=14)
# Fewer equal sets are done again by chance.
SETS_THAT_TELL = 3


@dataclass(frozen=True)
class Match:
    """Two records of one performed workout; the left one's times are ahead by `shift`."""

    left_id: str
    right_id: str
    shift: timedelta
    left_start_at: datetime


@dataclass(frozen=True)
class Matching:
    """The matches, in the order of the left times."""

    matches: tuple[Match, ...]

    @property
    def partners(self) -> dict[str, str]:
        """The right id by the left id."""
        return {match.left_id: match.right_id for match in self.matches}

    @property
    def shifts(self) -> tuple[timedelta, ...]:
        """By how much times of the left are ahead, each shift once, none left out."""
        return tuple(sorted({match.shift for match in self.matches} - {NO_SHIFT}))

    def shift_near(self, start_at: datetime) -> timedelta:
        """The shift of the match nearest to a time of the left; none without matches."""
        after = bisect_left(self.matches, start_at, key=lambda match: match.left_start_at)
        beside = self.matches[max(after - 1, 0) : after + 1]
        nearest = min(beside, key=lambda match: abs(match.left_start_at - start_at), default=None)
        return NO_SHIFT if nearest is None else nearest.shift


@dataclass(frozen=True)
class _Pair:
    left: Performed
    right: Performed
    shift: timedelta

    @property
    def order(self) -> tuple[datetime, datetime, str, str]:
        return self.left.start_at, self.right.start_at, self.left.id, self.right.id


def match_workouts(
    left: Sequence[Performed],
    right: Sequence[Performed],
    pinned: Mapping[str, str] | None = None,
) -> Matching:
    """Pair the workouts of two sources one to one; the order in which they are given is no matter.

    `pinned` are pairs (left id to right id) that are known to be the same: they stay, whatever has
    become of their content, and help to tell the shift.
    """
    pinned = pinned or {}
    pairs = [*_pinned_pairs(left, right, pinned), *_pairs_of_same_content(left, right, pinned)]
    votes = _votes(pairs)

    def rank_of_same(pair: _Pair) -> tuple[Any, ...]:
        return (
            -votes[pair.shift],
            -Likeness.of(pair.left, pair.right).degree,
            abs(pair.left.start_at - pair.right.start_at - pair.shift),
        )

    same = Matching(_one_to_one(_established(pairs, votes), rank_of_same))
    taken_left = {*pinned, *(match.left_id for match in same.matches)}
    taken_right = {*pinned.values(), *(match.right_id for match in same.matches)}
    changed = _pairs_of_changed_content(
        [workout for workout in left if workout.id not in taken_left],
        [workout for workout in right if workout.id not in taken_right],
        {match.shift for match in same.matches} or {NO_SHIFT},
    )

    def rank_of_changed(pair: _Pair) -> tuple[Any, ...]:
        return (
            pair.shift != same.shift_near(pair.left.start_at),
            -equal_set_count(pair.left, pair.right),
            -Likeness.of(pair.left, pair.right).degree,
        )

    return Matching(_in_order([*same.matches, *_one_to_one(changed, rank_of_changed)]))


def _pinned_pairs(
    left: Sequence[Performed], right: Sequence[Performed], pinned: Mapping[str, str]
) -> list[_Pair]:
    """The pins whose times may tell a shift; others were given another time since."""
    by_right_id = {workout.id: workout for workout in right}
    pairs = []
    for one in left:
        other = by_right_id.get(pinned.get(one.id, ""))
        shift = None if other is None else _shift(one, other)
        if other is not None and shift is not None:
            pairs.append(_Pair(one, other, shift))
    return pairs


def _pairs_of_same_content(
    left: Sequence[Performed], right: Sequence[Performed], pinned: Mapping[str, str]
) -> list[_Pair]:
    """All pairs that could be the same workout, of those that are in no pin."""
    pinned_right = set(pinned.values())
    by_shape: dict[object, list[Performed]] = defaultdict(list)
    for workout in sorted(right, key=lambda workout: workout.start_at):
        if workout.id not in pinned_right and workout.is_telling:
            by_shape[workout.shape].append(workout)
    pairs = []
    for one in left:
        if one.id in pinned or one.shape not in by_shape:
            continue
        for other in _started_near(by_shape[one.shape], one.start_at):
            shift = _shift(one, other)
            if shift is not None and is_same_content(one, other):
                pairs.append(_Pair(one, other, shift))
    return pairs


def _started_near(workouts: Sequence[Performed], moment: datetime) -> Sequence[Performed]:
    """Those of the workouts, which are in the order of their times, that a zone may have moved."""
    # Distances have no ends, as the calendar has.
    reach = MAX_SHIFT + MINUTE
    first = bisect_left(workouts, -reach, key=lambda workout: workout.start_at - moment)
    end = bisect_right(workouts, reach, key=lambda workout: workout.start_at - moment)
    return workouts[first:end]


def _shift(one: Performed, other: Performed) -> timedelta | None:
    """By how much a zone moved the first, or None if none does. Exports cut off the seconds."""
    ahead = one.start_at - other.start_at
    shift = round(ahead / SHIFT_STEP) * SHIFT_STEP
    return shift if abs(ahead - shift) < MINUTE and abs(shift) <= MAX_SHIFT else None


def _votes(pairs: Iterable[_Pair]) -> Mapping[timedelta, int]:
    """How many workouts could be paired at each shift."""
    lefts: dict[timedelta, set[str]] = defaultdict(set)
    rights: dict[timedelta, set[str]] = defaultdict(set)
    for pair in pairs:
        lefts[pair.shift].add(pair.left.id)
        rights[pair.shift].add(pair.right.id)
    return defaultdict(int, {at: min(len(lefts[at]), len(rights[at])) for at in lefts})


def _established(pairs: Sequence[_Pair], votes: Mapping[timedelta, int]) -> list[_Pair]:
    """The pairs at the source's shift and the hours beside it; without evidence the unmoved."""
    for centre in _centres(votes):
        chosen = [pair for pair in pairs if abs(pair.shift - centre) in (NO_SHIFT, HOUR)]
        if _is_evidence([pair for pair in chosen if pair.shift != NO_SHIFT]):
            return chosen
    return [pair for pair in pairs if pair.shift == NO_SHIFT]


def _centres(votes: Mapping[timedelta, int]) -> list[timedelta]:
    """The shifts that explain most workouts together with the hours beside them, best first.

    Where being unmoved explains half as many, nothing else is possible.
    """
    beside = (-HOUR, NO_SHIFT, HOUR)
    explained = {
        centre: sum(votes.get(centre + hour, 0) for hour in beside)
        for centre in {shift + hour for shift in votes for hour in beside}
    }
    most = max(explained.values(), default=0)
    if 2 * votes.get(NO_SHIFT, 0) >= most:
        return [NO_SHIFT]
    return sorted(
        (centre for centre, count in explained.items() if count == most),
        key=lambda centre: (-votes.get(centre, 0), abs(centre), centre),
    )


def _is_evidence(moved: Sequence[_Pair]) -> bool:
    """Whether pairs that agree on a shift are more than a workout done again at another time.

    What was only done again lies before all of the new, and is moved behind all of the old: within
    less than the shift. So pairs over a longer time are evidence; nearby, one that is alike in
    everything is too.
    """
    starts = sorted(pair.right.start_at for pair in moved)
    return any(
        starts[-1] - starts[0] >= abs(pair.shift)
        or (abs(pair.shift) <= MAX_SHIFT_OF_ONE and _is_alike_in_everything(pair))
        for pair in moved
    )


def _is_alike_in_everything(pair: _Pair) -> bool:
    likeness = Likeness.of(pair.left, pair.right)
    return (
        likeness.is_same_title
        and likeness.is_same_duration
        and (likeness.are_exercise_titles_equal or len(pair.left.sets) >= SETS_THAT_TELL)
    )


def _pairs_of_changed_content(
    left: Sequence[Performed], right: Sequence[Performed], shifts: Iterable[timedelta]
) -> list[_Pair]:
    """The pairs that began in the same minute under one of the shifts and have more in common."""
    by_minute: dict[int, list[Performed]] = defaultdict(list)
    for workout in right:
        by_minute[_minute(workout.start_at)].append(workout)
    pairs = [
        _Pair(one, other, shift)
        for one in left
        for shift in shifts
        for other in by_minute.get(_minute(one.start_at) - shift // MINUTE, ())
    ]
    return [pair for pair in pairs if _has_more_in_common(pair)]


def _has_more_in_common(pair: _Pair) -> bool:
    likeness = Likeness.of(pair.left, pair.right)
    most = max(len(pair.left.sets), len(pair.right.sets))
    return (
        likeness.is_same_title
        or likeness.is_same_duration
        or 0 < most <= 2 * equal_set_count(pair.left, pair.right)
    )


def _one_to_one(
    pairs: Iterable[_Pair], rank: Callable[[_Pair], tuple[Any, ...]]
) -> tuple[Match, ...]:
    """The best pair first, then the best of the rest without the two, and so on."""
    left: set[str] = set()
    right: set[str] = set()
    matches = []
    for pair in sorted(pairs, key=lambda pair: (rank(pair), pair.order)):
        if pair.left.id not in left and pair.right.id not in right:
            left.add(pair.left.id)
            right.add(pair.right.id)
            matches.append(Match(pair.left.id, pair.right.id, pair.shift, pair.left.start_at))
    return _in_order(matches)


def _in_order(matches: Iterable[Match]) -> tuple[Match, ...]:
    return tuple(sorted(matches, key=lambda match: (match.left_start_at, match.left_id)))


def _minute(moment: datetime) -> int:
    return (moment - _EPOCH) // MINUTE
