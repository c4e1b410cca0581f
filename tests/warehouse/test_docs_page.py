"""The page of `make docs`: one self-contained file."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from orchestration.dbt.runner import generate_docs
from tests.build_docs import main
from tests.warehouse.conftest import Nights
from tests.warehouse.nights import LAST


@pytest.fixture(scope="module")
def page(nights: Nights, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of the last night's warehouse."""
    folder = tmp_path_factory.mktemp("site")
    nights.copy(LAST, folder).close()
    return generate_docs(folder / "warehouse.duckdb", folder / "dbt").read_text()


@pytest.mark.long
def test_make_docs_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "site" / "index.html"
    assert main(page) == 0
    assert embedded(page.read_text(), "catalog")["nodes"]


def embedded(page: str, key: str) -> Any:
    """Return an embedded JSON object of the page: dbt's manifest or catalog."""
    found = re.search(rf'{key}:(?=\{{"metadata")', page)
    assert found, key
    return json.JSONDecoder().raw_decode(page, found.end())[0]


def test_the_page_needs_nothing_from_elsewhere(page: str) -> None:
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']?(https?:)?//", page)


def test_it_has_the_grain_of_every_mart_and_the_type_of_every_column(page: str) -> None:
    nodes, tables = embedded(page, "manifest")["nodes"], embedded(page, "catalog")["nodes"]
    marts = {name: node for name, node in nodes.items() if node["schema"] == "marts"}
    models = {name: node for name, node in marts.items() if node["resource_type"] == "model"}
    assert len(models) >= 12
    for name, node in models.items():
        assert node["description"].startswith("One row per"), name
        assert set(tables[name]["columns"]) == set(node["columns"]), name


def test_it_names_consumers_and_owners_of_the_marts(page: str) -> None:
    manifest = embedded(page, "manifest")
    exposures = {each["name"]: each for each in manifest["exposures"].values()}
    assert exposures["coach"]["type"] == "application"
    assert exposures["coach"]["depends_on"]["nodes"] == ["model.spotter.coach_context"]
    assert exposures["dashboard"]["type"] == "dashboard"
    assert "model.spotter.fct_muscle_week" in exposures["dashboard"]["depends_on"]["nodes"]
    assert {group["owner"]["name"] for group in manifest["groups"].values()} == {"data", "coach"}


def test_nothing_is_reported_to_anybody(page: str) -> None:
    assert embedded(page, "manifest")["metadata"]["send_anonymous_usage_stats"] is False
