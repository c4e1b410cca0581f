"""All constants, the version of the rules that they make, and their page."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache

from coach_agent.domain.constants import (
    forecast,
    history,
    loads,
    meet,
    planning,
    progression,
    recovery,
    session,
    strength,
    volume,
)
from coach_agent.domain.constants.constant import Constant

_MODULES = (
    strength,
    loads,
    history,
    progression,
    recovery,
    session,
    meet,
    volume,
    forecast,
    planning,
)


def constants() -> tuple[Constant[object], ...]:
    """Return all constants in the order of their definition, which is part of the version."""
    return tuple(
        value
        for module in _MODULES
        for value in vars(module).values()
        if isinstance(value, Constant)
    )


@cache
def rule_version() -> str:
    """Return the version of the current rules."""
    return version_of(constants())


def constants_markdown() -> str:
    """Build the page `docs/constants.md`: every constant with its evidence."""
    lines = [
        "# Constants of the progression engine",
        "",
        "Every number that a decision rests on, from `coach_agent/domain/constants/`.",
        "Another value is another version of the rules. Labels give the evidence: P a published",
        "paper, M measured on public training logs, O practitioners' opinion or a choice of this",
        "project, S a source that could not be checked.",
        "",
        "An exposure is a workout with the exercise, RPE the rated effort of a set (10 at failure,",
        "9 with one repetition left), RIR the repetitions left in reserve, e1RM the estimated",
        "one-repetition maximum, and a band the interval around an estimate. AMRAP is a set of as",
        "many repetitions as possible, TM the training max, a share of the maximum that",
        "percentages refer to. A deload is a week of easier training, a layoff a break, a taper",
        "the easier days before an event, a meet a competition. 5/3/1 and GZCLP are published",
        "programmes. `a-b` is a range or a pair in the order of the unit.",
        "",
        "| Key | Default | Unit | Label | Meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in constants():
        value = _text(each.value, " x " if " x " in each.unit else "-")
        lines.append(f"| `{each.key}` | {value} | {each.unit} | {each.label} | {each.meaning} |")
    return "\n".join((*lines, ""))


def _text(value: object, between: str) -> str:
    if not isinstance(value, tuple):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if any(isinstance(each, tuple) for each in value):
        within = between if between != "-" else " "
        return ", ".join(_text(each, within) for each in value)
    if any(isinstance(each, str) for each in value):
        between = " "
    return between.join(_text(each, between) for each in value)


def version_of(values: Sequence[Constant[object]]) -> str:
    """Return one number for the code and a digest of the constants, which changes with each
    constant.
    """
    content = json.dumps([(constant.key, constant.value) for constant in values])
    return f"1.{hashlib.sha256(content.encode()).hexdigest()[:8]}"
