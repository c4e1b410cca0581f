"""Every numbered row of the list of situations has a test of its plan and of its text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = Path(__file__).parents[3] / ".." / "shared" / "coaching" / "situations.md"
# Attributes of a plan, and those of what a person reads.
PLAN = {"load", "loads", "reps", "sets", "working", "is_left_out", "routine_title", "decide"}
TEXT = {"text", "why", "reason"}


def rows_of(name: str) -> set[str]:
    """`test_l1_to_l3_...` is a test of L1, L2 and L3."""
    found = re.match(r"test_([a-z])(\d+)(?:_to_\1(\d+))?_", name)
    if found is None:
        return set()
    kind, first, last = found[1].upper(), int(found[2]), int(found[3] or found[2])
    return {f"{kind}{number}" for number in range(first, last + 1)}


def used(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def test_every_row_has_a_test_of_plan_and_text() -> None:
    if not LIST.exists():
        pytest.skip("the list of situations is kept outside the repository")
    rows = set(re.findall(r"^\| ([LCMPG]\d+) \|", LIST.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows
    checked: dict[str, set[str]] = {}
    for path in Path(__file__).parent.glob("test_situations*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for row in rows_of(node.name):
                    checked.setdefault(row, set()).update(used(node))
    assert rows - checked.keys() == set()
    assert {row for row in rows if not checked[row] & PLAN} == set()
    assert {row for row in rows if not checked[row] & TEXT} == set()
