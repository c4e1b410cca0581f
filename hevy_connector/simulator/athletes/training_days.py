"""Sessions of simulated lifters: days, form, and what happens on them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hevy_connector.simulator.athletes.editing import EditKind, draw_edit
from hevy_connector.simulator.athletes.habits import Habits

OF_THE_DAY = 0.6  # of the variance; the rest is that of the single exercise
_SPELL_KEPT, _SPELL_SD = 0.7, 0.01  # good and bad weeks


@dataclass(frozen=True)
class TrainingDay:
    """A session: days since the first one, and the form of the day.

    `is_short` ends before the last exercise. `is_early` is trained before the new plan is
    published. `accident` is the muscle injured outside training since the last session. `edit` is
    the lifter's change of the published routine in the app.
    """

    day: int
    form: float
    is_short: bool = False
    is_early: bool = False
    accident: str | None = None
    edit: EditKind | None = None


def training_days(
    seed: str, weeks: int, habits: Habits, noise: float, muscles: Sequence[str]
) -> tuple[TrainingDay, ...]:
    """Draw the sessions of some weeks; some are missed, a holiday and an accident may occur."""
    rng = Random(f"{seed}/days")  # noqa: S311 - a reproducible lifter, not a secret
    edits = Random(f"{seed}/edited days")  # noqa: S311
    weekdays = rng.choices(((0, 3), (0, 2, 4), (0, 1, 3, 4)), (0.2, 0.6, 0.2))[0]
    missed_share = rng.uniform(0, 0.15)
    holiday = range(0)
    if rng.random() < 0.35:
        begins = rng.randrange(28, 140)
        holiday = range(begins, begins + rng.randrange(7, 22))
    accident_at = rng.randrange(20, 150) if rng.random() < 0.1 else None
    hurt = rng.choice(muscles)
    days, spell = [], 0.0
    for week in range(weeks):
        spell = _next_spell(spell, rng)
        for weekday in weekdays:
            day = 7 * week + weekday
            form = _form_of_day(spell, noise, rng)
            is_missed = rng.random() < missed_share
            is_short, is_early = (
                rng.random() < share for share in (habits.skipped_share, habits.early_share)
            )
            edit = draw_edit(habits.edited_share, edits)
            if (is_missed and day) or day in holiday:
                continue
            accident = None
            if accident_at is not None and day >= accident_at:
                accident, accident_at = hurt, None
            days.append(TrainingDay(day, form, is_short, is_early, accident, edit))
    return tuple(days)


def steady_days(
    seed: str, weeks: int, weekdays: Sequence[int], noise: float
) -> tuple[TrainingDay, ...]:
    """Draw the form of sessions on these weekdays, from 0, of which none is missed."""
    rng = Random(f"{seed}/steady days")  # noqa: S311 - a reproducible lifter, not a secret
    days, spell = [], 0.0
    for week in range(weeks):
        spell = _next_spell(spell, rng)
        days += [
            TrainingDay(7 * week + weekday, _form_of_day(spell, noise, rng)) for weekday in weekdays
        ]
    return tuple(days)


def _next_spell(spell: float, rng: Random) -> float:
    return _SPELL_KEPT * spell + rng.gauss(0, _SPELL_SD * math.sqrt(1 - _SPELL_KEPT**2))


def _form_of_day(spell: float, noise: float, rng: Random) -> float:
    return math.exp(spell + rng.gauss(0, noise * math.sqrt(OF_THE_DAY)))
