"""Match workouts of two sources that are the same performed workout.

Workouts are matched by content, never by title or by the text of a date: an export writes times in
the current zone of the phone, and titles are edited later. Two rules find a pair.

* Same content: the same sequence of sets, at the same time or shifted by a change of zone. One
  source has one shift and also the adjacent hours, for the part of a year with another daylight
  saving time. The shift that explains most pairs wins. No shift is preferred a priori, because the
  same workout every day looks like a shift by a day. Any shift other than zero needs evidence.
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
    Performed,
    Similarity,
    equal_set_count,
    is_same_content,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_SHIFT = timedelta()
HOUR = timedelta(hours=1)
# Zones differ by whole quarters of an hour, and from UTC-12 to UTC+14 by at most 26 hours.
SHIFT_STEP = timedelta(minutes=15)
MAX_SHIFT = timedelta(hours=26)
# One workout alone is no evidence for a larger shift: a day apart it is probably a repeated session
# on the next day.
MAX_SHIFT_OF_ONE = timedelta(hours=14)
# Fewer equal sets can recur by chance.
MIN_MATCHING_SETS = 3


@dataclass(frozen=True)
class Match:
    """Two records of one performed workout; the left times are ahead by `shift`."""

    left_id: str
    right_id: str
    shift: timedelta
    left_start_at: datetime


@dataclass(frozen=True)
class Matching:
    """Matches in the order of the left times."""

    matches: tuple[Match, ...]

    @property
    def partners(self) -> dict[str, str]:
        """Return the right id by left id."""
        return {match.left_id: match.right_id for match in self.matches}

    @property
    def shifts(self) -> tuple[timedelta, ...]:
        """Return the distinct shifts of the left times."""
        return tuple(sorted({match.shift for match in self.matches} - {NO_SHIFT}))

    def shift_near(self, start_at: datetime) -> timedelta:
        """Return the shift of the match nearest to a left time; zero without matches."""
        after = bisect_left(self.matches, start_at, key=lambda match: match.left_start_at)
        adjacent = self.matches[max(after - 1, 0) : after + 1]
        nearest = min(adjacent, key=lambda match: abs(match.left_start_at - start_at), default=None)
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
    """Match the workouts of two sources one to one; their order is irrelevant.

    `pinned` are known pairs (left id to right id): they are kept, even after changes of their
    content, and serve as evidence for the shift.
    """
    pinned = pinned or {}
    pairs = [*_pinned_pairs(left, right, pinned), *_pairs_of_same_content(left, right, pinned)]
    votes = _count_shifts(pairs)

    def rank_of_same(pair: _Pair) -> tuple[Any, ...]:
        return (
            -votes[pair.shift],
            -Similarity.of(pair.left, pair.right).score,
            abs(pair.left.start_at - pair.right.start_at - pair.shift),
        )

    same = Matching(_one_to_one(_pairs_at_source_shift(pairs, votes), rank_of_same))
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
            -Similarity.of(pair.left, pair.right).score,
        )

    return Matching(_in_order([*same.matches, *_one_to_one(changed, rank_of_changed)]))


def _pinned_pairs(
    left: Sequence[Performed], right: Sequence[Performed], pinned: Mapping[str, str]
) -> list[_Pair]:
    """Return the pinned pairs that differ by a possible shift; others were rescheduled later."""
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
    """Return all candidate pairs of equal content, without the pinned workouts."""
    pinned_right = set(pinned.values())
    by_shape: dict[object, list[Performed]] = defaultdict(list)
    for workout in sorted(right, key=lambda workout: workout.start_at):
        if workout.id not in pinned_right and workout.has_numbers:
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
    """Return the workouts (sorted by time) within reach of a zone change."""
    # Computed with distances, which have no limits, unlike dates.
    reach = MAX_SHIFT + MINUTE
    first = bisect_left(workouts, -reach, key=lambda workout: workout.start_at - moment)
    end = bisect_right(workouts, reach, key=lambda workout: workout.start_at - moment)
    return workouts[first:end]


def _shift(one: Performed, other: Performed) -> timedelta | None:
    """Return the zone shift of the first, or None if it is impossible. Exports drop seconds."""
    ahead = one.start_at - other.start_at
    shift = round(ahead / SHIFT_STEP) * SHIFT_STEP
    return shift if abs(ahead - shift) < MINUTE and abs(shift) <= MAX_SHIFT else None


def _count_shifts(pairs: Iterable[_Pair]) -> Mapping[timedelta, int]:
    """Count the workouts that could be paired at each shift."""
    lefts: dict[timedelta, set[str]] = defaultdict(set)
    rights: dict[timedelta, set[str]] = defaultdict(set)
    for pair in pairs:
        lefts[pair.shift].add(pair.left.id)
        rights[pair.shift].add(pair.right.id)
    return defaultdict(int, {at: min(len(lefts[at]), len(rights[at])) for at in lefts})


def _pairs_at_source_shift(pairs: Sequence[_Pair], votes: Mapping[timedelta, int]) -> list[_Pair]:
    """Return the pairs at the source's shift and adjacent hours; without evidence, at zero."""
    for centre in _rank_shifts(votes):
        chosen = [pair for pair in pairs if abs(pair.shift - centre) in (NO_SHIFT, HOUR)]
        if _is_evidence([pair for pair in chosen if pair.shift != NO_SHIFT]):
            return chosen
    return [pair for pair in pairs if pair.shift == NO_SHIFT]


def _rank_shifts(votes: Mapping[timedelta, int]) -> list[timedelta]:
    """Return the shifts that explain most workouts with their adjacent hours, best first.

    If zero explains half as many, no other shift is considered.
    """
    adjacent = (-HOUR, NO_SHIFT, HOUR)
    explained = {
        centre: sum(votes.get(centre + hour, 0) for hour in adjacent)
        for centre in {shift + hour for shift in votes for hour in adjacent}
    }
    most = max(explained.values(), default=0)
    if 2 * votes.get(NO_SHIFT, 0) >= most:
        return [NO_SHIFT]
    return sorted(
        (centre for centre, count in explained.items() if count == most),
        key=lambda centre: (-votes.get(centre, 0), abs(centre), centre),
    )


def _is_evidence(moved: Sequence[_Pair]) -> bool:
    """Return whether pairs with a common shift are more than a repeated session.

    Repeated sessions follow all of the old workouts and their originals precede all of the new
    ones, so they span less than the shift. So pairs over a longer span are evidence. Within a
    shorter span, a pair that agrees in everything is evidence too.
    """
    starts = sorted(pair.right.start_at for pair in moved)
    return any(
        starts[-1] - starts[0] >= abs(pair.shift)
        or (abs(pair.shift) <= MAX_SHIFT_OF_ONE and _is_alike_in_everything(pair))
        for pair in moved
    )


def _is_alike_in_everything(pair: _Pair) -> bool:
    similarity = Similarity.of(pair.left, pair.right)
    return (
        similarity.is_same_title
        and similarity.is_same_duration
        and (similarity.are_exercise_titles_equal or len(pair.left.sets) >= MIN_MATCHING_SETS)
    )


def _pairs_of_changed_content(
    left: Sequence[Performed], right: Sequence[Performed], shifts: Iterable[timedelta]
) -> list[_Pair]:
    """Return pairs with the same start minute under a shift and more in common."""
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
    similarity = Similarity.of(pair.left, pair.right)
    most = max(len(pair.left.sets), len(pair.right.sets))
    return (
        similarity.is_same_title
        or similarity.is_same_duration
        or 0 < most <= 2 * equal_set_count(pair.left, pair.right)
    )


def _one_to_one(
    pairs: Iterable[_Pair], rank: Callable[[_Pair], tuple[Any, ...]]
) -> tuple[Match, ...]:
    """Select pairs greedily: the best pair first, then the best without its two workouts."""
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
