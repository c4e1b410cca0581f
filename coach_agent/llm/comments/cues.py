"""The catalogue of cues for lifters: reviewed, each with its source."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

CueCode = Literal[
    "same_form",
    "slow_lowering",
    "full_range",
    "press_with_intent",
    "shoulder_blades",
    "elbows_close",
    "feet_planted",
    "flat_back",
    "tight_core",
    "lead_with_elbows",
    "no_swing",
    "bar_close",
    "straight_line",
    "stop_when_form_slips",
    "smooth_reps",
    "first_set",
    "last_like_first",
    "take_your_time",
]
"""Cues that a model selects by their code; the catalogue, `cues.toml`, has more for comments."""


@dataclass(frozen=True)
class Cue:
    """A cue of the catalogue; empty `muscles`, `equipment` and `types` fit every exercise."""

    kind: str
    source: str
    muscles: frozenset[str]
    equipment: frozenset[str]
    types: frozenset[str]

    def fits(self, muscle: str | None, equipment: str | None, exercise_type: str | None) -> bool:
        """Return whether the cue fits an exercise, including one with little data."""
        wanted = (
            (self.muscles, muscle),
            (self.equipment, equipment),
            (self.types, exercise_type),
        )
        return all(not allowed or value in allowed for allowed, value in wanted)


@cache
def catalogue() -> Mapping[str, Cue]:
    """Return the cues by code."""
    data = tomllib.loads((files(__package__) / "cues.toml").read_text(encoding="utf-8"))
    return {
        name.replace("-", "_"): Cue(
            kind=cue["kind"],
            source=data["sources"][cue["source"]],
            muscles=frozenset(cue.get("muscles", ())),
            equipment=frozenset(cue.get("equipment", ())),
            types=frozenset(cue.get("types", ())),
        )
        for name, cue in data["cues"].items()
    }


def fitting_cues(
    muscle: str | None, equipment: str | None, exercise_type: str | None
) -> tuple[str, ...]:
    """Return the codes of the cues that fit an exercise."""
    return tuple(
        code for code, cue in catalogue().items() if cue.fits(muscle, equipment, exercise_type)
    )
