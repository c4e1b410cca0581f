"""The values that texts may state: those of the context, the proposal and the plan, by kind."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from coach_agent.context import SlotContext
from coach_agent.llm.number_words import Kind
from coach_agent.llm.numbers import Found, Scheme, Stated, StatedDate, stated_numbers
from coach_agent.llm.windows import PlanWindows, working_count
from coach_agent.plan import DoneSet, Plan, SetPrescription, SlotPrescription, StallAnalysis
from coach_agent.progression.history import WORKING_TYPES
from coach_agent.season import SeasonDay, phase_on
from coach_agent.units import KILOGRAMS_PER_POUND, Unit, in_unit

_EXACT = 1e-6


@dataclass
class Facts:
    """Known values. Loads are kg and told in either unit; `unit` is the athlete's own.

    `schemes` are sets by repetitions that belong together.
    """

    unit: Unit
    language: str
    loads_kg: set[float] = field(default_factory=set)
    values: dict[Kind, set[float]] = field(default_factory=lambda: defaultdict(set))
    schemes: set[tuple[float, float]] = field(default_factory=set)
    dates: set[date] = field(default_factory=set)

    @property
    def has_rpe(self) -> bool:
        """Whether an effort is known at all: without one it is not spoken of."""
        return bool(self.values.get("rpe"))

    def joined(self, *others: "Facts") -> "Facts":
        """These facts and others."""
        found = Facts(self.unit, self.language)
        for each in (self, *others):
            found.loads_kg |= each.loads_kg
            found.schemes |= each.schemes
            found.dates |= each.dates
            for kind, values in each.values.items():
                found.values[kind] |= values
        return found

    def add(self, kind: Kind, *values: float | None) -> None:
        """Known values of a kind; what is null is not known."""
        self.values[kind] |= {abs(float(each)) for each in values if each is not None}

    def add_rounded(self, kind: Kind, *values: float | None) -> None:
        """Measured values, which are told in whole numbers, too."""
        told = [each for each in values if each is not None]
        self.add(kind, *told, *(float(round(each)) for each in told))

    def add_load(self, *loads_kg: float | None) -> None:
        """Known loads, or differences of loads."""
        self.loads_kg |= {abs(each) for each in loads_kg if each is not None}

    def add_text(self, *texts: str | None) -> None:
        """The numbers of texts of ours."""
        for text in texts:
            for each in stated_numbers(text or "", "en"):
                self._add_found(each)

    def holds(self, found: Found) -> bool:
        """Whether a text may say so."""
        if isinstance(found, StatedDate):
            return any(
                (year is None or year == day.year) and (month, at) == (day.month, day.day)
                for year, month, at in found.days
                for day in self.dates
            )
        if isinstance(found, Scheme):
            return self._holds_scheme(found)
        return bool(found.values) and all(self._holds(found, value) for value in found.values)

    def _add_found(self, found: Found) -> None:
        if isinstance(found, Scheme):
            self.add("reps", *found.low.values, *found.high.values)
            if found.first.kind in {"kg", "lb"}:
                self._add_found(found.first)
                return
            for count in (found.low, found.high):
                self.schemes |= {(one, two) for one in found.first.values for two in count.values}
            self.add("sets", *found.first.values)
        elif isinstance(found, Stated):
            if found.kind in {"kg", "lb"}:
                factor = 1.0 if found.kind == "kg" else KILOGRAMS_PER_POUND
                self.add_load(*(value * factor for value in found.values))
            else:
                self.add(found.kind, *found.values)

    def _holds(self, found: Stated, value: float) -> bool:
        kind, decimals = found.kind, found.decimals
        if kind in {"kg", "lb"}:
            return self._holds_load(value, decimals, kind)
        if kind.startswith("ordinal"):
            counted = kind.partition(" ")[2]
            known = self.values.get(counted, set()) if counted else self._places()
            if counted == "weeks":
                return value in known
            return 1 <= value <= max(known, default=0)
        if kind == "bare":
            is_known = any(_is_near(value, decimals, each) for each in self._all_values())
            return is_known or self._holds_load(value, decimals, self.unit)
        return any(_is_near(value, decimals, each) for each in self.values.get(kind, ()))

    def _places(self) -> set[float]:
        return self.values.get("sets", set()) | self.values.get("exercises", set())

    def _all_values(self) -> set[float]:
        years = {float(day.year) for day in self.dates}
        return set().union(*self.values.values(), years)

    def _holds_load(self, value: float, decimals: int, unit: str) -> bool:
        for load_kg in self.loads_kg:
            exact = load_kg if unit == "kg" else load_kg / KILOGRAMS_PER_POUND
            own = in_unit(load_kg, "kg" if unit == "kg" else "lb")
            if abs(own - value) < _EXACT or (decimals and _is_near(value, decimals, exact)):
                return True
            # Converted for somebody who lifts in the other unit, whole numbers are what is said.
            if unit != self.unit and not decimals and round(exact) == value:
                return True
        return False

    def _holds_scheme(self, found: Scheme) -> bool:
        counts = [value for each in (found.low, found.high) for value in each.values]
        reps = self.values.get("reps", set())
        if found.first.kind != "kg" and found.first.kind != "lb":
            firsts = found.first.values
            if all((first, count) in self.schemes for first in firsts for count in counts):
                return True
        unit = found.first.kind if found.first.kind in {"kg", "lb"} else self.unit
        if found.first.kind == "sets":
            return False
        return all(count in reps for count in counts) and all(
            self._holds_load(value, found.first.decimals, unit) for value in found.first.values
        )


def history_facts(slot: SlotContext, unit: Unit, language: str) -> Facts:
    """What is known of an exercise's past, and of what the routine says of it."""
    facts = Facts(unit, language)
    _add_sets(facts, slot.planned_sets)
    for exposure in slot.exposures:
        _add_sets(facts, exposure.sets)
        for done in exposure.sets:
            facts.add_load(done.planned_weight_kg)
            facts.add("reps", done.planned_reps_low, done.planned_reps_high)
            facts.add("s", done.planned_duration_s)
        facts.dates.add(exposure.started_at.date())
        facts.add("sets", exposure.planned_working_count)
    facts.add("workouts", *range(1, len(slot.exposures) + 1), slot.trend.exposure_count)
    facts.add_load(slot.learned_increment_kg)
    facts.add_rounded("percent", slot.trend.slope_pct)
    return facts


def stall_facts(stall: StallAnalysis, unit: Unit, language: str) -> Facts:
    """The numbers of an analysis and of its texts."""
    facts, details = Facts(unit, language), stall.details
    facts.add_text(stall.reason, stall.suggested_fix)
    facts.add_rounded("percent", details.slope_pct, details.upper_pct, details.lower_pct)
    facts.add("workouts", details.exposure_count)
    facts.add_rounded("sets", details.sets_before, details.sets_now)
    facts.add_rounded("reps", details.mean_reps)
    facts.add_rounded("rpe", details.mean_rpe)
    return facts


def slot_facts(
    before: SlotPrescription,
    after: SlotPrescription,
    slot: SlotContext,
    unit: Unit,
    language: str,
) -> Facts:
    """What is known of one exercise: its history, the proposal and what was chosen."""
    facts = history_facts(slot, unit, language)
    for sets in (before.sets, before.structure, after.sets, before.last_done):
        _add_sets(facts, sets)
    for each in (before, after):
        facts.add("rpe", each.rpe_cap)
        _add_rest(facts, each.rest_s, each.advised_rest_s)
        facts.add_text(*(told.text for told in each.adjustments), each.reason)
        for prediction in each.predictions:
            if prediction is not None:
                facts.add_rounded("reps", prediction.reps, prediction.low, prediction.high)
                share = prediction.p_success
                facts.add_rounded("percent", None if share is None else 100 * share)
    _add_changes(facts, before, after)
    if before.stall is None:
        return facts
    return facts.joined(stall_facts(before.stall, unit, language))


def plan_facts(windows: PlanWindows, after: Plan, language: str) -> Facts:
    """What is known of a plan as a whole, and of the athlete's weeks."""
    before, today = windows.plan, windows.today
    facts = Facts(before.load_unit, language, dates={windows.situation.today})
    add_season(facts, phase_on(windows.profile.season, windows.situation.today))
    facts.add("minutes", today.circumstances.minutes, windows.profile.session_minutes)
    facts.add_rounded("sets", *today.this_week.values())
    for weeks in today.weeks.values():
        facts.add_rounded("sets", *weeks, sum(weeks) / len(weeks) if weeks else None)
    for plan in (before, after):
        counts = [working_count(slot.sets) for slot in plan.slots]
        facts.add("sets", sum(counts), *counts)
        facts.add("exercises", *range(1, len(counts) + 1), sum(count > 0 for count in counts))
        if plan.minutes is not None:
            minutes = plan.minutes
            facts.add_rounded("minutes", minutes.minutes, minutes.low, minutes.high)
        facts.add_text(plan.summary, *(each.text for each in plan.advice))
        if plan.insight is not None:
            facts.add_text(plan.insight.insight, plan.insight.action)
    return facts


def add_season(facts: Facts, day: SeasonDay) -> None:
    """What the calendar says of a day."""
    facts.add("weeks", day.phase_week, day.phase_weeks_left)
    facts.add("days", day.days_to_event)


def _add_sets(facts: Facts, sets: Iterable[SetPrescription | DoneSet]) -> None:
    working = [each for each in sets if each.set_type in WORKING_TYPES]
    for each in sets:
        facts.add_load(each.weight_kg)
        facts.add("reps", each.reps)
        facts.add("s", each.duration_s)
        facts.add("metres", each.distance_m)
        facts.add("bare", each.custom_metric)
        if isinstance(each, SetPrescription):
            facts.add("reps", each.rep_range_start, each.rep_range_end)
        else:
            facts.add("rpe", each.rpe)
    facts.add("sets", len(working))
    by_load: dict[float | None, list[SetPrescription | DoneSet]] = defaultdict(list)
    for each in working:
        by_load[each.weight_kg].append(each)
    for group in (working, *by_load.values()):
        facts.add("sets", len(group))
        for each in group:
            counts = [each.reps]
            if isinstance(each, SetPrescription):
                counts += [each.rep_range_start, each.rep_range_end]
            facts.schemes |= {
                (float(len(group)), float(count)) for count in counts if count is not None
            }


def _add_rest(facts: Facts, *rests_s: int | None) -> None:
    for rest_s in rests_s:
        facts.add("s", rest_s)
        if rest_s is not None:
            facts.add("minutes", rest_s / 60)


def _add_changes(facts: Facts, before: SlotPrescription, after: SlotPrescription) -> None:
    """By how much the first working set differs from the last time and from the proposal."""
    now = _first(after.sets)
    for then in (_first(before.last_done), _first(before.sets)):
        if now is None or then is None:
            continue
        if now.weight_kg is not None and then.weight_kg:
            change = now.weight_kg - then.weight_kg
            facts.add_load(change or None)
            facts.add_rounded("percent", 100 * change / then.weight_kg or None)
        if now.reps is not None and then.reps is not None:
            facts.add("reps", abs(now.reps - then.reps) or None)
        if now.duration_s is not None and then.duration_s is not None:
            facts.add("s", abs(now.duration_s - then.duration_s) or None)
    change_sets = abs(working_count(after.sets) - working_count(before.sets))
    facts.add("sets", change_sets or None)


def _first(sets: Iterable[SetPrescription | DoneSet]) -> SetPrescription | DoneSet | None:
    return next((each for each in sets if each.set_type in WORKING_TYPES), None)


def _is_near(value: float, decimals: int, known: float) -> bool:
    """Whether a number that was given with so many decimals is the known one."""
    if abs(value - known) < _EXACT:
        return True
    return bool(decimals) and abs(value - known) <= 0.5 * 10**-decimals + _EXACT
