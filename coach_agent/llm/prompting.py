"""Parts of a prompt: our files, blocks of data, and the athlete's texts as data."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel

from coach_agent.domain.context import Exposure, SlotContext
from coach_agent.domain.model_calls import CallName
from coach_agent.domain.plan import DoneSet, SetPrescription
from coach_agent.domain.units import Unit, in_unit
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.ladder import load_of
from coach_agent.profile.model import AthleteProfile

LeftOut = Literal["notes", "body", "names"]

_CHARACTERS_A_TOKEN = 3.2  # fewer than providers count for such text, so the estimate is higher
_CODE = re.compile(r"[A-Za-z0-9_ -]{1,60}")


@dataclass(frozen=True)
class Wishes:
    """The athlete's settings for prompts.

    `language` is that of the texts to write, two letters. `leave_out` keeps notes, data about the
    body (pain, readiness), and names (the athlete's, routines', events') out of prompts.
    """

    language: str = "en"
    leave_out: frozenset[LeftOut] = frozenset()

    @classmethod
    def of(cls, profile: AthleteProfile) -> "Wishes":
        """Build the settings of an athlete."""
        return cls(profile.preferences.language, frozenset(profile.llm.leave_out))


@cache
def instructions(name: CallName) -> str:
    """Return the static part of a call's prompt, its file unchanged; clients strip blanks around
    it.
    """
    return (files("coach_agent.llm") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


@cache
def prompt_version(name: CallName, output: type[BaseModel]) -> str:
    """Return the version of a question: the hash of its file and the schema of its answer."""
    schema = json.dumps(output.model_json_schema(), sort_keys=True)
    return hashlib.sha256(f"{instructions(name)}\0{schema}".encode()).hexdigest()[:12]


def estimated_tokens(text: str) -> int:
    """Return a cautious estimate of a text's tokens, as a fallback for the provider's count."""
    return -int(-len(text) // _CHARACTERS_A_TOKEN)


def data_block(name: str, value: object) -> str:
    """Serialize a value as JSON in a named element that its content cannot close.

    Sorted and without blanks: equal values have equal bytes, which providers' caches need.
    """
    body = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    for char in "<>&":
        body = body.replace(char, f"\\u{ord(char):04x}")
    return f'<data name="{name}">\n{body}\n</data>'


def untrusted(text: str, limit: int = 280) -> str:
    """Sanitize the athlete's text to one line: normalised, without invisible characters, cut.

    Normalised first, because that turns full-width signs into plain ones.
    """
    text = unicodedata.normalize("NFKC", text)
    text = "".join(" " if unicodedata.category(char).startswith("C") else char for char in text)
    return re.sub(r"\s+", " ", text).strip()[:limit]


def code(value: str | None) -> str | None:
    """Return a word of the service's lists, such as a muscle group; None for other text."""
    return value if value is not None and _CODE.fullmatch(value) else None


def codes(values: Iterable[str]) -> list[str]:
    """Return the valid codes of the words."""
    return [each for each in values if code(each)]


def without_empty(values: dict[str, Any]) -> dict[str, Any]:
    """Remove null and empty values, which cost tokens."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, ())}


def prompt_load(load_kg: float, unit: Unit) -> float | int:
    """Format a load as the gym marks it, in kg or lb; whole numbers without a point."""
    load = in_unit(load_kg, unit)
    return int(load) if load == int(load) else load


def prompt_sets(
    sets: Sequence[SetPrescription | DoneSet], exercise_type: str | None, unit: Unit
) -> str:
    """Format the working sets: "100:5,5,4 95:6", "0:60s,60s", "80:5@8,5@9"."""
    runs: list[tuple[str, list[str]]] = []
    for each in sets:
        if each.set_type not in WORKING_TYPES:
            continue
        load = load_of(exercise_type, each.weight_kg)
        shown = f"{'-' if load and load < 0 else ''}{prompt_load(abs(load or 0.0), unit)}"
        if not runs or runs[-1][0] != shown:
            runs.append((shown, []))
        runs[-1][1].append(_count(each))
    return " ".join(f"{load}:{','.join(counts)}" for load, counts in runs)


def prompt_exposures(
    exposures: Iterable[Exposure], exercise_type: str | None, unit: Unit, most: int
) -> list[str]:
    """Format workouts, newest first: "2026-02-28 100:5,5,5", with "easy" for easy ones."""
    return [
        f"{each.started_at:%Y-%m-%d} {prompt_sets(each.sets, exercise_type, unit)}"
        + (" easy" if each.is_easy else "")
        for each in list(exposures)[:most]
    ]


def prompt_history(slot: SlotContext, unit: Unit, most: int) -> dict[str, Any]:
    """Return an exercise's latest workouts, its trend in % per exposure, and whether it stalls."""
    slope = slot.trend.slope_pct
    return without_empty(
        {
            "done": prompt_exposures(slot.exposures, slot.exercise_type, unit, most),
            "trend": None if slope is None else round(slope, 2),
            "stalled": True if slot.trend.verdict == "stalled" else None,
        }
    )


def _count(each: SetPrescription | DoneSet) -> str:
    if each.reps is None and each.duration_s is not None:
        return f"{each.duration_s}s"
    if each.reps is None and each.distance_m is not None:
        return f"{each.distance_m}m"
    count = "?" if each.reps is None else str(each.reps)
    rpe = each.rpe if isinstance(each, DoneSet) else None
    return count if rpe is None else f"{count}@{rpe:g}"
