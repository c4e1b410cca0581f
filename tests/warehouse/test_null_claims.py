"""Statements of contracts about null, compared with the data of all stories."""

import json
import re
from collections.abc import Iterator

import pytest

from orchestration.dbt.runner import ensure_manifest
from tests.warehouse.scratch import ScratchWarehouse

NEVER_FILLED = re.compile(r"none yet|always null|not filled|no value yet", re.I)
MAY_BE_NULL = re.compile(r"\bnull\b", re.I)


def columns() -> Iterator[tuple[str, str, str]]:
    """Yield mart, column and description of each column of a contract."""
    for node in json.loads(ensure_manifest().read_text())["nodes"].values():
        if node["schema"] == "marts" and node["resource_type"] == "model":
            for column in node["columns"].values():
                yield node["name"], column["name"], column["description"]


@pytest.fixture(scope="module")
def counts(warehouse: ScratchWarehouse) -> dict[tuple[str, str], tuple[int, int]]:
    """Return by mart and column the numbers of rows, and of those with a value."""
    found = {}
    for mart in sorted({mart for mart, _, _ in columns()}):
        names = [column for each, column, _ in columns() if each == mart]
        counted = ", ".join(f'count("{name}") as "{name}"' for name in names)
        [row] = warehouse.rows(f"select count(*) as n_rows, {counted} from marts.{mart}")
        found.update({(mart, name): (row["n_rows"], row[name]) for name in names})
    return found


def test_a_column_with_nulls_says_when(counts: dict[tuple[str, str], tuple[int, int]]) -> None:
    assert len(counts) > 500
    silent = [
        f"{mart}.{column}: {counts[mart, column]}"
        for mart, column, description in columns()
        if counts[mart, column][0] > counts[mart, column][1] and not MAY_BE_NULL.search(description)
    ]
    assert silent == []


def test_a_column_that_is_said_to_be_empty_is(
    counts: dict[tuple[str, str], tuple[int, int]],
) -> None:
    """Three columns of predictions were described as "none yet", and held values."""
    filled = [
        f"{mart}.{column}: {counts[mart, column]}"
        for mart, column, description in columns()
        if NEVER_FILLED.search(description) and counts[mart, column][1]
    ]
    assert filled == []
