"""Units of load. Numbers in data are kg; people read them in their gym's unit."""

from typing import Literal

from coach_agent.language.messages import decimals

Unit = Literal["kg", "lb"]

# The international pound, exact by its definition.
KILOGRAMS_PER_POUND = 0.45359237


def in_unit(load_kg: float, unit: Unit) -> float:
    """Return a load as the gym marks it: kg to ten grams, pounds to the quarter.

    Loads are recorded to a tenth or hundredth of a kilogram: 61.2 and 61.23 kg are both 135 lb.
    """
    if unit == "kg":
        return round(load_kg, 2)
    return round(4 * load_kg / KILOGRAMS_PER_POUND) / 4


def load_text(load_kg: float, unit: Unit) -> str:
    """Format a load for people: `62.5 kg`, `135 lb`, in German `62,5 kg`."""
    return f"{decimals(f'{in_unit(load_kg, unit):g}')} {unit}"
