"""The reference names every key of a profile, and none that there is not."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from coach_agent.profile.model import AthleteProfile, load_profile

ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "docs" / "profile.md"


def named() -> list[str]:
    """Return the keys in the first columns of the tables; a placeholder for a name becomes a
    star.
    """
    cells = re.findall(
        r"^\| `([^`]+)` \|", REFERENCE.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return [re.sub(r'"<[^>]+>"', "*", cell) for cell in cells]


def keys(annotation: Any, path: str, known: set[Any]) -> Iterator[str]:
    """Yield the keys of a type in a file. A repeated type is a reference to its first place."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from keys(get_args(annotation)[0], path, known)
    elif origin is dict:
        yield from keys(get_args(annotation)[1], f"{path}.*", known)
    elif origin is tuple and any(map(is_table, get_args(annotation))):
        yield from keys(get_args(annotation)[0], f"{path}[]", known)
    elif origin in {Union, UnionType} and any(map(is_table, get_args(annotation))):
        for member in filter(is_table, get_args(annotation)):
            yield from keys(member, path, known)
    elif is_table(annotation) and annotation not in known:
        known.add(annotation)
        for name, field in annotation.model_fields.items():
            yield from keys(field.annotation, f"{path}.{name}".removeprefix("."), known)
    else:
        yield path


def is_table(annotation: Any) -> bool:
    if get_origin(annotation) in {Annotated, Union, UnionType}:
        return any(map(is_table, get_args(annotation)))
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def test_every_key_is_in_the_reference_and_every_key_there_exists() -> None:
    assert len(named()) == len(set(named()))
    assert set(named()) == set(keys(AthleteProfile, "", set()))


def test_the_walk_finds_what_a_profile_can_say() -> None:
    found = set(keys(AthleteProfile, "", set()))
    assert found >= {
        "id",
        "goal.date",
        "phases[].weeks",
        "weekdays.*",
        "equipment.bar_kg",
        "equipment.bar_lb",
        "places.*",
        "pain.*",
        "preferences.swap.*",
        "exercises.*.rpe_cap",
        "avoid",
    }


def test_the_example_shows_every_table() -> None:
    text = (ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8")
    assert load_profile(ROOT / "athletes" / "demo.toml").id == "demo"
    for name in AthleteProfile.model_fields:
        assert re.search(rf"^(# *)?(\[+{name}\b|{name} = )", text, flags=re.MULTILINE), name
