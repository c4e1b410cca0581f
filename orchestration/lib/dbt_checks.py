"""What dbt's data tests say, in sentences: what holds if one passes, and what was found if not."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from orchestration.lib.dbt import NodeOutcome


def meaning_of(test: Mapping[str, Any]) -> str:
    """What holds if a test of the manifest passes, as in "No two rows have the same set_key"."""
    generic = test.get("test_metadata")
    if generic is None:
        words = re.sub(r"^assert_(b\d+_)?", "", str(test["name"])).replace("_", " ")
        return f"{words.capitalize()}."
    given: Mapping[str, Any] = generic["kwargs"]
    column, columns = given.get("column_name"), ", ".join(given.get("columns", ()))
    match generic["name"]:
        case "not_null":
            return f"No row is without {column}."
        case "unique":
            return f"No two rows have the same {column}."
        case "unique_combination":
            return f"No two rows agree in all of {columns}."
        case "accepted_values":
            return f"{column} is {_one_of(given['values'])}."
        case "relationships":
            return f"Every {column} is there in {_table(given['to'])} as {given['field']}."
        case "composite_relationship":
            return f"Every {columns} is there, together, in {_table(given['to'])}."
        case "mutually_exclusive_ranges":
            return (
                f"Versions of the same {given['partition_by']} do not overlap: each lasts from "
                f"{given['lower']} to {given['upper']}."
            )
        case other:
            return f"{other} holds."


def found_text(outcome: NodeOutcome, meaning: str) -> str:
    """What a test found, in one sentence beside what it asks for."""
    if outcome.status == "pass":
        return meaning
    if outcome.failures is None or outcome.status == "error":
        return f"It could not be looked at: {first_line(outcome.message)} It asks: {meaning}"
    rows = "1 row breaks" if outcome.failures == 1 else f"{outcome.failures:,} rows break"
    return f"{rows} the rule: {meaning}"


def failure_texts(manifest: Mapping[str, Any], outcomes: Sequence[NodeOutcome]) -> list[str]:
    """One sentence for each node that failed, tests of the same table one after another."""
    return [
        _failure_text(manifest["nodes"][outcome.unique_id], outcome)
        for outcome in outcomes
        if not outcome.is_ok and outcome.status != "skipped"
    ]


def first_line(message: str | None) -> str:
    """What dbt says of an error without where in its own code it happened."""
    lines = [line.strip() for line in (message or "no reason was given").splitlines()]
    told = [line for line in lines if line]
    # dbt names the node first and the database's words follow.
    return next((line for line in told[1:] if "Error" in line), told[0])


def _failure_text(node: Mapping[str, Any], outcome: NodeOutcome) -> str:
    if node["resource_type"] != "test":
        return f"{node['name']} could not be built: {first_line(outcome.message)}"
    return f"{_tested_table(node)}: {found_text(outcome, meaning_of(node))} ({node['name']})"


def _tested_table(test: Mapping[str, Any]) -> str:
    attached = test.get("attached_node") or test["depends_on"]["nodes"][0]
    return str(attached).rpartition(".")[2]


def _one_of(values: Sequence[Any]) -> str:
    *others, last = [str(value) for value in values]
    return f"{', '.join(others)} or {last}" if others else last


def _table(reference: str) -> str:
    """The model that `ref('dim_athlete')` names."""
    return reference.split("'")[1] if "'" in reference else reference
