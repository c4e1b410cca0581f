"""Describe dbt's data tests and their results in sentences."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orchestration.dbt.runner import NodeOutcome


def meaning_of(test: Mapping[str, Any]) -> str:
    """Return the invariant of a test: "No two rows have the same set_key", for example."""
    generic = test.get("test_metadata")
    if generic is None:
        return f"{re.sub(r'^assert_', '', str(test['name'])).replace('_', ' ').capitalize()}."
    if generic["name"] != "rules":
        return f"{generic['name']} holds."
    return " ".join(_rule_texts(generic["kwargs"]))


def result_texts(outcome: NodeOutcome, test: Mapping[str, Any]) -> list[str]:
    """Describe the result of a test, in one sentence for each broken rule."""
    meaning = meaning_of(test)
    if outcome.status == "pass":
        return [meaning]
    if outcome.failures is None or outcome.status == "error":
        return [f"It could not be checked: {first_line(outcome.message)} The rule: {meaning}"]
    if not outcome.broken:
        return [f"{_rows_break(outcome.failures)}: {meaning}"]
    rules = test["test_metadata"]["kwargs"]
    return [
        f"{_rows_break(each.row_count)}: {_rule_text(rules, each.rule, each.column_names)} "
        f"One is {each.row_key}."
        for each in outcome.broken
    ]


def failure_texts(manifest: Mapping[str, Any], outcomes: Sequence[NodeOutcome]) -> list[str]:
    """Return one sentence for each failed model and each broken rule."""
    return [
        text
        for outcome in outcomes
        if not outcome.is_ok and outcome.status != "skipped"
        for text in _failure_texts(manifest["nodes"][outcome.unique_id], outcome)
    ]


def failures(outcomes: Sequence[NodeOutcome]) -> list[str]:
    """Return one line for each failed node and each broken rule, with names of the project."""
    lines: list[str] = []
    for outcome in outcomes:
        if outcome.is_ok or outcome.status == "skipped":
            continue
        reasons = [
            f"{each.rule}: {each.column_names}: {each.row_count} rows, one is {each.row_key}"
            for each in outcome.broken
        ] or [outcome.message or outcome.status]
        lines += [f"{outcome.unique_id.split('.')[2]}: {reason}" for reason in reasons]
    return lines


def first_line(message: str | None) -> str:
    """Return the message of a dbt error without dbt's own position."""
    lines = [line.strip() for line in (message or "no reason was given").splitlines()]
    told = [line for line in lines if line]
    # dbt prints the node first, then the database's message.
    return next((line for line in told[1:] if "Error" in line), told[0])


def _failure_texts(node: Mapping[str, Any], outcome: NodeOutcome) -> list[str]:
    if node["resource_type"] != "test":
        return [f"{node['name']} could not be built: {first_line(outcome.message)}"]
    table = _tested_table(node)
    return [f"{table}: {text} ({node['name']})" for text in result_texts(outcome, node)]


def _rows_break(count: int) -> str:
    return "1 row breaks the rule" if count == 1 else f"{count:,} rows break the rule"


def _rule_texts(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentences of all rules of a model, in the order of the test's arguments."""
    for columns in (*([rules["key"]] if "key" in rules else []), *rules.get("unique", ())):
        yield _rule_text(rules, "unique", ", ".join(columns))
    for rule in ("not_null", "accepted_values", "within"):
        for column in rules.get(rule, ()):
            yield _rule_text(rules, rule, column)
    if rules.get("finite"):
        yield "No number is NaN or infinite."
    for reference in rules.get("references", ()):
        yield _rule_text(rules, "references", ", ".join(reference["columns"]))
    for each in rules.get("versions", ()):
        yield _rule_text(rules, "versions", f"{each['from']}, {each['to']}")


def _rule_text(rules: Mapping[str, Any], rule: str, columns: str) -> str:
    """Describe the rule of this kind and these columns, as it holds if no row breaks it."""
    match rule:
        case "unique" if "," in columns:
            return f"No two rows agree in all of {columns}."
        case "unique":
            return f"No two rows have the same {columns}."
        case "not_null":
            return f"No row is without {columns}."
        case "accepted_values":
            return f"{columns} is {_one_of(rules[rule][columns])}."
        case "within":
            lowest, highest = rules[rule][columns]
            return f"{columns} is between {lowest} and {highest}."
        case "finite":
            return f"{columns} is neither NaN nor infinite."
        case "references":
            reference = next(each for each in rules[rule] if ", ".join(each["columns"]) == columns)
            named = ", ".join(reference.get("named", reference["columns"]))
            return f"Every {columns} exists in {_table(reference['to'])} as {named}."
        case "versions":
            each = next(each for each in rules[rule] if f"{each['from']}, {each['to']}" == columns)
            return (
                f"Versions of the same {', '.join(each['of'])} follow one another without gap or "
                f"overlap: each lasts from {each['from']} to {each['to']}."
            )
        case other:
            raise ValueError(f"The test has no rule {other}.")


def _tested_table(test: Mapping[str, Any]) -> str:
    attached = test.get("attached_node") or test["depends_on"]["nodes"][0]
    return str(attached).rpartition(".")[2]


def _one_of(values: Sequence[Any]) -> str:
    *others, last = [str(value) for value in values]
    return f"{', '.join(others)} or {last}" if others else last


def _table(reference: str) -> str:
    """Return the model in `ref('dim_athlete')`."""
    return reference.split("'")[1] if "'" in reference else reference
