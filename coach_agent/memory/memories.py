"""Memories: statements about an athlete of a closed set of types, with sources and confidence.

A memory is a value computed from rows. Its confidence grows with repetition and decays with time;
no text of an athlete is part of it, except titles of exercises and parts of the body.
"""

import hashlib
import math
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Literal

from pydantic import ConfigDict

from coach_agent.domain.values import Value

Kind = Literal[
    "against_exercise",
    "for_exercise",
    "injury_pattern",
    "skipped_last",
    "training_days",
    "training_hour",
    "training_minutes",
    "unused_reserve",
]
Status = Literal["guessed", "confirmed", "corrected"]
Role = Literal["supports", "opposes", "preceded"]

HALF_LIFE_DAYS: Mapping[Kind, int] = {
    "against_exercise": 60,
    "for_exercise": 60,
    "injury_pattern": 90,
    "skipped_last": 60,
    "training_days": 45,
    "training_hour": 45,
    "training_minutes": 45,
    "unused_reserve": 60,
}
"""Days after which an observation has half its weight. Judgement of this project: a schedule
changes with a season, a preference lasts longer, and a pain that returns within a quarter is the
same.
"""

PRIOR_WEIGHT = 1.0
"""Weight of doubt, in observations: a single observation alone has a confidence of one half."""

ATHLETE_WEIGHT = 4.0
"""Weight of a decision of the athlete, in observations: as many as a preference needs."""

LEAST_CONFIDENCE = 0.5
"""Below it a memory is not kept: the rows support it no more than doubt and opposition."""


class Source(Value):
    """A row that a memory comes from; `preceded` rows explain and have no weight."""

    # Errors of reading are in logs and checks, which have nothing of an athlete.
    model_config = ConfigDict(hide_input_in_errors=True)

    mart: str
    key: str
    day: date
    role: Role = "supports"


class Statement(Value):
    """The content of a memory; a type uses only its own fields.

    `title` is an exercise or a part of the body. `weekdays` count from 0, Monday. `start_minute` is
    the start of training in minutes after midnight, `minutes` the duration. `before` are titles of
    exercises that were trained before each report of a pain.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    title: str = ""
    weekdays: tuple[int, ...] = ()
    start_minute: int | None = None
    minutes: int | None = None
    before: tuple[str, ...] = ()


class Memory(Value):
    """A statement about one subject, with its sources, oldest first.

    `subject` is the key of an exercise, a part of the body, or empty for habits. `decided_on` is
    the day on which the athlete confirmed or corrected it.
    """

    athlete_id: str
    kind: Kind
    subject: str
    statement: Statement
    sources: tuple[Source, ...] = ()
    status: Status = "guessed"
    decided_on: date | None = None

    @property
    def digest(self) -> str:
        """Return the identity of the memory: a hash of athlete, type and subject."""
        identity = f"{self.athlete_id}\0{self.kind}\0{self.subject}"
        return hashlib.sha256(identity.encode()).hexdigest()

    @property
    def first_seen(self) -> date:
        """Return the day of the oldest supporting row, or of the athlete's decision."""
        return min(self._supporting_days())

    @property
    def last_seen(self) -> date:
        """Return the day of the newest supporting row, or of the athlete's decision."""
        return max(self._supporting_days())

    @property
    def as_of(self) -> date:
        """Return the day of the newest row that counts: confidence decays from here."""
        opposing = [each.day for each in self.sources if each.role == "opposes"]
        return max([*self._supporting_days(), *opposing])

    @property
    def expires_on(self) -> date:
        """Return the first day on which the confidence is below `LEAST_CONFIDENCE`."""
        support, opposition = self._weights(self.as_of)
        # All weights decay by the same factor f: f·s / (f·s + f·o + prior) >= least, solved for f.
        lead = (1 - LEAST_CONFIDENCE) * support - LEAST_CONFIDENCE * opposition
        needed = LEAST_CONFIDENCE * PRIOR_WEIGHT
        if lead < needed:
            return self.as_of
        lasts = HALF_LIFE_DAYS[self.kind] * math.log2(lead / needed)
        return self.as_of + timedelta(days=math.floor(lasts) + 1)

    def confidence(self, day: date) -> float:
        """Return the confidence on a day, 0 to 1.

        It is s / (s + o + 1) with the weights s of supporting and o of opposing observations. An
        observation weighs 2^(-age / half-life), a decision of the athlete four times as much. This
        is the mean of a beta distribution whose prior has the weight 1 and the mean 0.
        """
        support, opposition = self._weights(day)
        return support / (support + opposition + PRIOR_WEIGHT)

    def _supporting_days(self) -> list[date]:
        days = [each.day for each in self.sources if each.role == "supports"]
        return days if self.decided_on is None else [*days, self.decided_on]

    def _weights(self, day: date) -> tuple[float, float]:
        sums = {"supports": 0.0, "opposes": 0.0, "preceded": 0.0}
        for each in self.sources:
            sums[each.role] += self._decay(each.day, day)
        if self.decided_on is not None:
            sums["supports"] += ATHLETE_WEIGHT * self._decay(self.decided_on, day)
        return sums["supports"], sums["opposes"]

    def _decay(self, since: date, day: date) -> float:
        """Return the share of its weight that an observation still has; 1 for a later one."""
        age: float = max(0, (day - since).days)
        return math.exp2(-age / HALF_LIFE_DAYS[self.kind])
