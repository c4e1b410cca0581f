"""The loads that a gym has: the tables `[equipment]` and `[places.<name>]` of a profile."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from coach_agent.domain.constants.loads import INCREMENT_CABLE, INCREMENT_MACHINE
from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit
from coach_agent.profile.table import Kilograms, Pounds, ProfileTable

PlateKilograms = Annotated[float, Field(gt=0, le=50)]
StepKilograms = Annotated[float, Field(ge=0.25, le=50)]
PlatePounds = Annotated[float, Field(gt=0, le=110)]
StepPounds = Annotated[float, Field(ge=1, le=110)]

Rack = Literal["barbell", "dumbbell", "kettlebell"]
"""Equipment of which a gym has certain loads and no others, in Hevy's words."""

Kind = Literal["barbell", "dumbbell", "kettlebell", "machine", "cable"]
"""Equipment that a place may lack."""

Setup = Literal["pull-up bar", "bench", "rack", "dip bars"]
"""Equipment without a load; only built programmes know which exercises need it."""

NONE = "none"
"""Value of a key for equipment that a place does not have."""

_KINDS: dict[str, Kind] = {
    "bar": "barbell",
    "plate_pairs": "barbell",
    "dumbbells": "dumbbell",
    "kettlebells": "kettlebell",
    "machine_step": "machine",
    "cable_step": "cable",
}
# Hevy counts cables among machines; these words of a title identify cables.
_CABLE_WORDS = (
    *("cable", "pulldown", "pushdown", "pressdown", "face pull", "crossover", "pull through"),
    *("palloff", "rope"),
)
_WITH_BODY = frozenset({"reps_only", "bodyweight_weighted", "duration"})

# Lists of a file reach the model after "none" was looked for: no longer as JSON.
_AS_PLATES = Field(min_length=1, max_length=30, strict=False)
_AS_RACK = Field(min_length=1, max_length=200, strict=False)


class Equipment(ProfileTable):
    """The loads of a gym in kg, the only ones that the engine sees.

    `plate_pairs_kg` has one entry for each available pair: two pairs of 20 are two entries. `unit`
    is the unit of the labels on the loads; all numbers here are kg either way. `lacks` lists
    missing equipment: a key with the value "none" adds to it.
    """

    unit: Unit = "kg"
    lacks: Annotated[tuple[Kind, ...], Field(strict=False)] = ()
    bar_kg: Kilograms = 20.0
    plate_pairs_kg: Annotated[tuple[PlateKilograms, ...], _AS_PLATES] = (
        *(25.0, 25.0, 25.0, 25.0),
        *(20.0, 15.0, 10.0, 5.0, 2.5, 1.25),
    )
    dumbbells_kg: Annotated[tuple[Kilograms, ...], _AS_RACK] = (
        *(float(kg) for kg in range(1, 10)),
        *(float(kg) for kg in range(10, 52, 2)),
    )
    kettlebells_kg: Annotated[tuple[Kilograms, ...], _AS_RACK] = (
        *(4.0, 6.0, 8.0, 10.0, 12.0, 16.0),
        *(20.0, 24.0, 28.0, 32.0),
    )
    machine_step_kg: StepKilograms = INCREMENT_MACHINE.value
    cable_step_kg: StepKilograms = INCREMENT_CABLE.value

    @model_validator(mode="before")
    @classmethod
    def _without_none(cls, table: Any) -> Any:
        return _with_lacks(table)

    def in_kg(self) -> "Equipment":
        """Return the same loads: they are in kg already."""
        return self


class PoundEquipment(ProfileTable):
    """The loads of a gym as a file gives them with `unit = "lb"`: every number in pounds."""

    unit: Literal["lb"] = "lb"
    lacks: Annotated[tuple[Kind, ...], Field(strict=False)] = ()
    bar_lb: Pounds = 45.0
    plate_pairs_lb: Annotated[tuple[PlatePounds, ...], _AS_PLATES] = (
        *(45.0, 45.0, 45.0, 45.0),
        *(35.0, 25.0, 10.0, 5.0, 2.5),
    )
    dumbbells_lb: Annotated[tuple[Pounds, ...], _AS_RACK] = tuple(
        float(lb) for lb in range(5, 105, 5)
    )
    kettlebells_lb: Annotated[tuple[Pounds, ...], _AS_RACK] = (
        *(9.0, 13.0, 18.0, 26.0, 35.0),
        *(44.0, 53.0, 62.0, 70.0),
    )
    machine_step_lb: StepPounds = 10.0
    cable_step_lb: StepPounds = 5.0

    @model_validator(mode="before")
    @classmethod
    def _without_none(cls, table: Any) -> Any:
        return _with_lacks(table)

    def in_kg(self) -> Equipment:
        """Convert the loads to kg."""
        return Equipment(
            unit="lb",
            lacks=self.lacks,
            bar_kg=_kg(self.bar_lb),
            plate_pairs_kg=tuple(map(_kg, self.plate_pairs_lb)),
            dumbbells_kg=tuple(map(_kg, self.dumbbells_lb)),
            kettlebells_kg=tuple(map(_kg, self.kettlebells_lb)),
            machine_step_kg=_kg(self.machine_step_lb),
            cable_step_kg=_kg(self.cable_step_lb),
        )


def equipment_kind(title: str, equipment: str | None, exercise_type: str | None) -> Kind | None:
    """Return the equipment that an exercise needs; None for bodyweight and unknown exercises.

    Without Hevy's `equipment` it is parsed from the title, as in `Squat (Barbell)`.
    """
    words = title.lower()
    if exercise_type in _WITH_BODY:
        return None
    if equipment == "machine" or (equipment is None and "machine)" in words):
        return "cable" if any(word in words for word in _CABLE_WORDS) else "machine"
    if equipment is None and any(word in words for word in _CABLE_WORDS):
        return "cable"
    for kind in ("barbell", "dumbbell", "kettlebell"):
        if equipment == kind or (equipment is None and kind in words):
            return kind
    return None


def _with_lacks(table: Any) -> Any:
    """Return the table with its "none" keys moved to `lacks`."""
    if not isinstance(table, dict) or NONE not in table.values():
        return table
    kinds = {
        name: _KINDS[name.rpartition("_")[0]]
        for name, value in table.items()
        if value == NONE and name.rpartition("_")[0] in _KINDS
    }
    others = {name: value for name, value in table.items() if name not in kinds}
    lacks = (*table.get("lacks", ()), *kinds.values())
    return {**others, "lacks": tuple(dict.fromkeys(lacks))}


def _kg(pounds: float) -> float:
    return pounds * KILOGRAMS_PER_POUND


def _table(table: Any) -> str:
    """Return the tag of the union member; an invalid unit is rejected by the first member."""
    if isinstance(table, dict):
        return "lb" if table.get("unit") == "lb" else "kg"
    return "lb" if isinstance(table, PoundEquipment) else "kg"


RACK_KEYS: dict[Rack, str] = {
    "barbell": "plate_pairs",
    "dumbbell": "dumbbells",
    "kettlebell": "kettlebells",
}
"""By rack, what a table calls its loads before the unit."""

EquipmentTable = Annotated[
    Annotated[Equipment, Tag("kg")] | Annotated[PoundEquipment, Tag("lb")], Discriminator(_table)
]


def undescribed_racks(gym: EquipmentTable) -> tuple[Rack, ...]:
    """Return the racks that a file does not describe: their loads are defaults."""
    described = {name.rpartition("_")[0] for name in gym.model_fields_set}
    return tuple(rack for rack, key in RACK_KEYS.items() if key not in described)
