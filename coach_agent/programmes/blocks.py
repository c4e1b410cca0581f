"""The blocks of a built programme: training and easy weeks, and the last weeks before an event.

A peak is for the lifts of a meet only: few repetitions with more load each week. The taper has half
of the sets at high loads (Travis 2021, 364 lifters), its last week only a few of these lifts.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from coach_agent.domain.block import Phase
from coach_agent.domain.constants.recovery import DELOAD_LOAD_FACTOR, DELOAD_SETS_FACTOR
from coach_agent.programmes.model import LEVELS, Block
from coach_agent.programmes.numbers import (
    BLOCK_WEEKS,
    CAREFUL_RESERVE,
    MEET_SESSIONS,
    PEAK_SETS,
    PEAK_WEEKS,
    RESERVE_BY_WEEK,
    RESERVE_LEAST_NOVICE,
    REST_BEFORE_EVENT,
    SHORT_SEASON,
    TAPER_SETS,
    TAPER_WEEKS,
)
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.programmes.set_notation import SKIPPED
from coach_agent.programmes.volume import Entry, Week, is_timed, reps_of

MEET_LIFTS = ("Squat (Barbell)", "Bench Press (Barbell)", "Deadlift (Barbell)", "Sumo Deadlift")

Names = Mapping[tuple[int, int], tuple[str, Entry]]
"""The name of the lift of each exercise, by day and place."""

_Sets = str | tuple[str, ...]


def blocks_of(request: ProgrammeRequest, week: Week, names: Names) -> tuple[Block, ...]:
    """Return blocks of training and easy weeks; before an event those of all weeks until it."""
    weeks = _Weeks(request, week, names)
    if request.weeks_to_event is None:
        count = _usual_weeks(request)
        cycle = (weeks.build(_build_reserve(request, count)), weeks.easy())
        return cycle * 2
    return tuple(_season(request, week, weeks, request.weeks_to_event))


def _season(request: ProgrammeRequest, week: Week, weeks: "_Weeks", left: int) -> list[Block]:
    """Return the blocks before an event: build, peak and taper, with easy weeks between.

    An easy week precedes the peak where both together are longer than a usual block.
    """
    is_peaking = any(is_meet_lift(entry, request) for entry in week.all_entries())
    is_short = left <= SHORT_SEASON.value
    taper = 1 if is_short or not is_peaking else TAPER_WEEKS.value
    peak = 0
    if is_peaking:
        peak = min(1, max(0, left - 2)) if is_short else (left - taper) // 2
    peak = min(peak, PEAK_WEEKS.value)
    training, usual = left - taper - peak, _usual_weeks(request)
    is_eased = peak > 0 and training + peak > usual
    count = math.ceil((training + (not is_eased)) / (usual + 2))
    training -= count if is_eased else count - 1
    blocks: list[Block] = []
    for number in range(count):
        own = training // count + (number < training % count)
        is_last = number == count - 1
        is_before_peak = is_last and peak > 0 and not is_eased
        if own:
            blocks.append(weeks.build(_build_reserve(request, own, is_before_peak=is_before_peak)))
        if not is_last or is_eased:
            blocks.append(weeks.easy())
    if peak:
        blocks.append(weeks.peak(peak))
    return [*blocks, weeks.taper(taper)]


def reserve_note(request: ProgrammeRequest, blocks: tuple[Block, ...]) -> str:
    """Return the repetitions in reserve of the weeks, as the blocks have them."""
    if request.weeks_to_event is None:
        efforts = ", ".join(map(str, _build_reserve(request, _usual_weeks(request))))
        return f"Repetitions in reserve by week of a block: {efforts}; then an easy week."
    found = (block.reserve_in(place) for block in blocks for place in range(block.weeks))
    efforts = ", ".join("easy" if each is None else str(each) for each in found)
    return f"Repetitions in reserve by week: {efforts}."


def is_meet_lift(entry: Entry, request: ProgrammeRequest) -> bool:
    """Return whether a main lift is one of a meet, for a lifter who trains for strength.

    One that loads a painful part is none.
    """
    is_strength = request.goal in {"strength", "both"}
    is_lift = entry.role == "main" and entry.choice.title in MEET_LIFTS
    return is_strength and is_lift and not entry.choice.is_careful


def last_days(request: ProgrammeRequest, week: Week) -> tuple[int, ...]:
    """Return the days that are trained in the last week: none on the last two days before it.

    Before a meet these are at most two with its lifts, and one if the event is within a week.
    """
    latest = request.days_in_last_week - REST_BEFORE_EVENT.value
    trained = [
        place for place, day in enumerate(week.days) if day.weekday < latest and week.entries[place]
    ]
    meet = [
        place
        for place in trained
        if any(is_meet_lift(entry, request) for entry in week.entries[place])
    ]
    most = 1 if request.weeks_to_event == 1 else MEET_SESSIONS.value
    if any(is_meet_lift(entry, request) for entry in week.all_entries()):
        return tuple(meet[:most])
    return tuple(trained[:1] if request.weeks_to_event == 1 else trained)


def _usual_weeks(request: ProgrammeRequest) -> int:
    return BLOCK_WEEKS.value[LEVELS.index(request.level)]


def _build_reserve(
    request: ProgrammeRequest, weeks: int, *, is_before_peak: bool = False
) -> tuple[int, ...]:
    """Return the repetitions in reserve by training week: a short block ends before its hard week.

    The second value is that of the weeks between the first and the last ones.
    """
    first, *middle, last = RESERVE_BY_WEEK.value
    is_hard = weeks > 2 and not is_before_peak
    found = (first, *[middle[0]] * (weeks - 1))[:weeks]
    return _at_least(request, (*found[:-1], last) if is_hard else found)


def _at_least(request: ProgrammeRequest, reserve: tuple[int, ...]) -> tuple[int, ...]:
    least = RESERVE_LEAST_NOVICE.value if request.level == "novice" else 0
    return tuple(max(each, least) for each in reserve)


@dataclass(frozen=True)
class _Weeks:
    """Makes the blocks of a week of training."""

    request: ProgrammeRequest
    week: Week
    names: Names

    def build(self, reserve: tuple[int, ...]) -> Block:
        """Return training weeks; the last one is harder if there are several."""
        more: Phase = "accumulate"
        phases: tuple[Phase, ...] = (*[more] * (len(reserve) - 1), "intensify")
        return Block(
            title="Build",
            weeks=len(reserve),
            phase=phases if len(reserve) > 1 else (more,),
            reserve=reserve,
            days=self._days(lambda _, entry: self._range(entry)),
        )

    def easy(self) -> Block:
        """Return an easy week."""
        days = self._days(lambda _, entry: self._easy(entry))
        return Block(title="Easy", weeks=1, is_held=True, phase="deload", days=days)

    def peak(self, weeks: int) -> Block:
        """Return weeks with few repetitions and rising loads of the meet's lifts."""
        # A single heavy week has no lead-in, so it is not the heaviest one.
        steps = PEAK_SETS.value[1:2] if weeks == 1 else PEAK_SETS.value[-weeks:]
        _, *middle, last = RESERVE_BY_WEEK.value
        reserve = (*[middle[0]] * (weeks - 1), middle[0] if weeks == 1 else last)

        def sets(_: int, entry: Entry) -> _Sets:
            if not is_meet_lift(entry, self.request):
                return self._range(entry)
            return tuple(f"{entry.sets}x{reps} @{percent}%" for percent, reps in steps)

        return Block(
            title="Peak",
            weeks=weeks,
            phase="peak",
            reserve=_at_least(self.request, reserve),
            days=self._days(sets),
        )

    def taper(self, weeks: int) -> Block:
        """Return the last weeks; the last one has few sessions."""
        trained = last_days(self.request, self.week)
        is_meet = any(is_meet_lift(entry, self.request) for entry in self.week.all_entries())
        (high, reps), (light, light_reps) = TAPER_SETS.value

        def sets(day: int, entry: Entry) -> _Sets:
            half = math.ceil(entry.sets * DELOAD_SETS_FACTOR.value)
            own = is_meet_lift(entry, self.request)
            last = SKIPPED
            if day in trained and (own or not is_meet):
                last = f"{half}x{light_reps} @{light}%" if own else self._easy(entry)
            before = f"{half}x{reps} @{high}%" if own else self._easy(entry)
            return (*[before] * (weeks - 1), last)

        return Block(
            title="Taper", weeks=weeks, is_held=True, phase="deload", days=self._days(sets)
        )

    def _days(self, sets: Callable[[int, Entry], _Sets]) -> dict[str, dict[str, _Sets]]:
        found: dict[str, dict[str, _Sets]] = {}
        for (day, _), (name, entry) in self.names.items():
            found.setdefault(self.week.days[day].title, {})[name] = sets(day, entry)
        return found or {"Rest": {"rest": "1x600s"}}

    def _range(self, entry: Entry) -> str:
        low, high = reps_of(entry, self.request.goal)
        effort = f" @RIR {CAREFUL_RESERVE.value}" if entry.choice.is_careful else ""
        return f"{entry.sets}x{low}-{high}{'s' * is_timed(entry.choice) or effort}"

    def _easy(self, entry: Entry) -> str:
        low, high = reps_of(entry, self.request.goal)
        sets = math.ceil(entry.sets * DELOAD_SETS_FACTOR.value)
        if is_timed(entry.choice):
            return f"{sets}x{low}-{high}s"
        if entry.choice.is_careful:
            return f"{sets}x{low} @RIR {CAREFUL_RESERVE.value}"
        share = f" @{DELOAD_LOAD_FACTOR.value * 100:g}%" if entry.choice.tags.step_kg else ""
        return f"{sets}x{low}{share}"
