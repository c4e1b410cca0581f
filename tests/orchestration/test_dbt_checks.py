"""What dbt's data tests say to somebody who does not know dbt."""

from typing import Any

import pytest

from orchestration.lib.dbt import NodeOutcome
from orchestration.lib.dbt_checks import failure_texts, found_text, meaning_of

UNIQUE = {
    "name": "unique_fct_set_set_key",
    "resource_type": "test",
    "attached_node": "model.spotter.fct_set",
    "test_metadata": {"name": "unique", "kwargs": {"column_name": "set_key"}},
}
SINGULAR = {
    "name": "assert_b6_no_number_is_infinite",
    "resource_type": "test",
    "depends_on": {"nodes": ["model.spotter.fct_workout"]},
}
MODEL = {"name": "fct_set", "resource_type": "model"}


def outcome(status: str, failures: int | None = None, message: str | None = None) -> NodeOutcome:
    return NodeOutcome("test.spotter.it", status, 0.1, failures, message)


@pytest.mark.parametrize(
    ("kind", "given", "meaning"),
    [
        ("not_null", {"column_name": "title"}, "No row is without title."),
        ("unique", {"column_name": "set_key"}, "No two rows have the same set_key."),
        ("unique_combination", {"columns": ["a", "b"]}, "No two rows agree in all of a, b."),
        (
            "accepted_values",
            {"column_name": "state", "values": ["hit", "missed", "open"]},
            "state is hit, missed or open.",
        ),
        ("accepted_values", {"column_name": "state", "values": ["hit"]}, "state is hit."),
        (
            "relationships",
            {"column_name": "athlete_id", "to": "ref('dim_athlete')", "field": "athlete_id"},
            "Every athlete_id is there in dim_athlete as athlete_id.",
        ),
        (
            "composite_relationship",
            {"columns": ["a", "b"], "to": "ref('fct_workout')"},
            "Every a, b is there, together, in fct_workout.",
        ),
        (
            "mutually_exclusive_ranges",
            {"partition_by": "routine_key", "lower": "valid_from", "upper": "valid_to"},
            "Versions of the same routine_key do not overlap: each lasts from valid_from to "
            "valid_to.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_a_test_says_what_holds(kind: str, given: dict[str, Any], meaning: str) -> None:
    assert meaning_of({"name": "x", "test_metadata": {"name": kind, "kwargs": given}}) == meaning


def test_a_singular_test_is_a_sentence_already() -> None:
    assert meaning_of(SINGULAR) == "No number is infinite."


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (outcome("pass", 0), "It holds."),
        (outcome("fail", 1, "Got 1 result, configured"), "1 row breaks the rule: It holds."),
        (outcome("warn", 1200, "Got 1200"), "1,200 rows break the rule: It holds."),
        (
            outcome("error", None, "Runtime Error\n  Binder Error: no column y\n  LINE 1"),
            "It could not be looked at: Binder Error: no column y It asks: It holds.",
        ),
    ],
    ids=["passed", "one row", "many rows", "an error"],
)
def test_what_was_found_is_one_sentence(found: NodeOutcome, text: str) -> None:
    assert found_text(found, "It holds.") == text


def test_a_failed_build_names_tables_and_reasons_but_not_what_only_waited_for_them() -> None:
    manifest = {"nodes": {"a": UNIQUE, "b": SINGULAR, "c": MODEL, "d": MODEL, "e": MODEL}}
    outcomes = [
        NodeOutcome("a", "fail", 0.1, 2, "Got 2 results"),
        NodeOutcome("b", "fail", 0.1, 1, "Got 1 result"),
        NodeOutcome("c", "error", 0.1, None, "Runtime Error in model fct_set\n  IO Error: full"),
        NodeOutcome("d", "skipped", 0.0, None, None),
        NodeOutcome("e", "success", 0.1, None, "OK"),
    ]
    assert failure_texts(manifest, outcomes) == [
        "fct_set: 2 rows break the rule: No two rows have the same set_key. "
        "(unique_fct_set_set_key)",
        "fct_workout: 1 row breaks the rule: No number is infinite. "
        "(assert_b6_no_number_is_infinite)",
        "fct_set could not be built: IO Error: full",
    ]
