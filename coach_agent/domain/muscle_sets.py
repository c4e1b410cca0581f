"""Fractional sets by muscle group. Source: Pelland et al., Sports Med 56:481."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from coach_agent.domain.constants.volume import VOLUME_PRIMARY, VOLUME_SECONDARY


def set_credits(primary: str | None, secondary: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield the muscle groups of an exercise, and what a set counts for each."""
    if primary:
        yield primary, VOLUME_PRIMARY.value
    for group in secondary:
        yield group, VOLUME_SECONDARY.value


def fractional_sets(counted: Iterable[tuple[int, str | None, Iterable[str]]]) -> dict[str, float]:
    """Return the sets by muscle group of set counts with their primary and secondary groups."""
    sets: dict[str, float] = defaultdict(float)
    for count, primary, secondary in counted:
        for group, credit in set_credits(primary, secondary):
            sets[group] += credit * count
    return dict(sets)
