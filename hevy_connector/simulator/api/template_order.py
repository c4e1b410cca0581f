"""The order in which Hevy lists exercise templates."""

from collections.abc import Iterable

from hevy_connector.simulator.api.records import Json


def in_service_order(templates: Iterable[Json]) -> list[Json]:
    """Sort by title, ignoring case, punctuation and spaces: "Boxing" comes before "Box Jump"."""
    return sorted(templates, key=lambda template: (_letters(template["title"]), template["id"]))


def _letters(title: str) -> str:
    return "".join(character for character in title.casefold() if character.isalnum())
