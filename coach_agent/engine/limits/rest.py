"""Default rest between sets. Practitioners' opinion."""

from collections.abc import Sequence
from typing import Literal

from coach_agent.domain.constants.session import (
    REST_COMPOUND,
    REST_HEAVY_COMPOUND,
    REST_HEAVY_REPS,
    REST_ISOLATION,
    REST_SUPERSET,
)

ExerciseKind = Literal["compound", "isolation"]


def kind_of(
    primary_muscle_group: str | None, secondary_muscle_groups: Sequence[str] | None
) -> ExerciseKind:
    """Classify an exercise as compound or isolation by its muscle groups in the catalogue.

    Exercises of the whole body have no second group there. An unknown one counts as compound: it
    gets the longer rest.
    """
    is_isolation = (
        primary_muscle_group not in {None, "full_body"}
        and secondary_muscle_groups is not None
        and not secondary_muscle_groups
    )
    return "isolation" if is_isolation else "compound"


def rest_s(kind: ExerciseKind, reps: int | None, *, in_superset: bool = False) -> int:
    """Return the rest in seconds after a working set of so many repetitions.

    Compound sets of up to 6 repetitions are heavy. In a superset the next exercise is also rest.
    """
    if in_superset:
        return REST_SUPERSET.value
    if kind == "isolation":
        return REST_ISOLATION.value
    is_heavy = reps is not None and reps <= REST_HEAVY_REPS.value
    return REST_HEAVY_COMPOUND.value if is_heavy else REST_COMPOUND.value
