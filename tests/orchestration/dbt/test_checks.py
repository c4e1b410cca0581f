"""Messages of dbt's data tests for readers without knowledge of dbt."""

from typing import Any

import pytest

from orchestration.dbt.checks import failure_texts, failures, meaning_of, result_texts
from orchestration.dbt.runner import BrokenRule, NodeOutcome

RULES = {
    "name": "rules_of_fct_set",
    "resource_type": "test",
    "attached_node": "model.spotter.fct_set",
    "test_metadata": {
        "name": "rules",
        "kwargs": {
            "key": ["a", "b"],
            "accepted_values": {"state": ["hit", "missed", "open"]},
        },
    },
}
SINGULAR = {
    "name": "assert_no_set_is_lost",
    "resource_type": "test",
    "depends_on": {"nodes": ["model.spotter.fct_workout"]},
}
MODEL = {"name": "fct_set", "resource_type": "model"}


def outcome(
    status: str,
    failures: int | None = None,
    message: str | None = None,
    broken: tuple[BrokenRule, ...] = (),
) -> NodeOutcome:
    return NodeOutcome("test.spotter.it", status, 0.1, failures, message, broken)


@pytest.mark.parametrize(
    ("rules", "meaning"),
    [
        ({}, ""),
        ({"unique": [["a", "b"]]}, " No two rows agree in all of a, b."),
        ({"not_null": ["title"]}, " No row is without title."),
        ({"accepted_values": {"state": ["hit", "open"]}}, " state is hit or open."),
        ({"accepted_values": {"state": ["hit"]}}, " state is hit."),
        ({"within": {"share": [0, 1]}}, " share is between 0 and 1."),
        ({"finite": True}, " No number is NaN or infinite."),
        (
            {"references": [{"columns": ["day"], "to": "ref('dim_date')", "named": ["date_day"]}]},
            " Every day exists in dim_date as date_day.",
        ),
        (
            {"references": [{"columns": ["a", "b"], "to": "ref('fct_workout')"}]},
            " Every a, b exists in fct_workout as a, b.",
        ),
        (
            {"versions": [{"of": ["routine_key"], "from": "valid_from", "to": "valid_to"}]},
            " Versions of the same routine_key follow one another without gap or overlap: each "
            "lasts from valid_from to valid_to.",
        ),
    ],
    ids=lambda value: next(iter(value), "key") if isinstance(value, dict) else "",
)
def test_a_test_says_what_holds(rules: dict[str, Any], meaning: str) -> None:
    test = {"name": "x", "test_metadata": {"name": "rules", "kwargs": {"key": ["k"], **rules}}}
    assert meaning_of(test) == f"No two rows have the same k.{meaning}"


def test_a_singular_test_is_a_sentence_already() -> None:
    assert meaning_of(SINGULAR) == "No set is lost."


@pytest.mark.parametrize(
    ("found", "texts"),
    [
        (outcome("pass", 0), ["No set is lost."]),
        (
            outcome("fail", 1, "Got 1 result, configured"),
            ["1 row breaks the rule: No set is lost."],
        ),
        (
            outcome("warn", 1200, "Got 1200"),
            ["1,200 rows break the rule: No set is lost."],
        ),
        (
            outcome("error", None, "Runtime Error\n  Binder Error: no column y\n  LINE 1"),
            ["It could not be checked: Binder Error: no column y The rule: No set is lost."],
        ),
    ],
    ids=["passed", "one row", "many rows", "an error"],
)
def test_what_was_found_is_one_sentence(found: NodeOutcome, texts: list[str]) -> None:
    assert result_texts(found, SINGULAR) == texts


BROKEN = (
    BrokenRule("accepted_values", "state", 1, "{'a': 1, 'b': 2, 'state': odd}"),
    BrokenRule("finite", "load_kg", 1, "{'a': 1, 'b': 2, 'load_kg': nan}"),
    BrokenRule("unique", "a, b", 2, "{'a': 1, 'b': 2}"),
)


def test_each_broken_rule_names_its_columns_its_rows_and_one_of_them() -> None:
    assert result_texts(outcome("fail", 4, "Got 4 results", BROKEN), RULES) == [
        "1 row breaks the rule: state is hit, missed or open. "
        "One is {'a': 1, 'b': 2, 'state': odd}.",
        "1 row breaks the rule: load_kg is neither NaN nor infinite. "
        "One is {'a': 1, 'b': 2, 'load_kg': nan}.",
        "2 rows break the rule: No two rows agree in all of a, b. One is {'a': 1, 'b': 2}.",
    ]


def test_a_failed_build_names_tables_and_reasons_but_not_what_only_waited_for_them() -> None:
    manifest = {"nodes": {"a": RULES, "b": SINGULAR, "c": MODEL, "d": MODEL, "e": MODEL}}
    outcomes = [
        NodeOutcome("a", "fail", 0.1, 2, "Got 2 results", BROKEN[2:]),
        NodeOutcome("b", "fail", 0.1, 1, "Got 1 result"),
        NodeOutcome("c", "error", 0.1, None, "Runtime Error in model fct_set\n  IO Error: full"),
        NodeOutcome("d", "skipped", 0.0, None, None),
        NodeOutcome("e", "success", 0.1, None, "OK"),
    ]
    assert failure_texts(manifest, outcomes) == [
        "fct_set: 2 rows break the rule: No two rows agree in all of a, b. "
        "One is {'a': 1, 'b': 2}. (rules_of_fct_set)",
        "fct_workout: 1 row breaks the rule: No set is lost. (assert_no_set_is_lost)",
        "fct_set could not be built: IO Error: full",
    ]


def test_a_failed_build_names_rules_and_columns_for_developers() -> None:
    outcomes = [outcome("fail", 4, "Got 4 results", BROKEN[1:2]), outcome("pass", 0)]
    assert failures(outcomes) == [
        "it: finite: load_kg: 1 rows, one is {'a': 1, 'b': 2, 'load_kg': nan}"
    ]
