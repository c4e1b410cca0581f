"""The site of `make docs`: complete, without dead links, and readable offline."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from orchestration.dbt.runner import generate_docs
from tests.docs.build import MKDOCS, main, render, write_pages
from tests.end_to_end.world import ROOT
from tests.orchestration.cli.test_commands import COMMANDS
from tests.warehouse.conftest import Nights
from tests.warehouse.nights import LAST

DOCS = sorted((ROOT / "docs").glob("*.md"))
_FROM_ELSEWHERE = re.compile(
    r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//"""
)


needs_mkdocs = pytest.mark.skipif(
    not MKDOCS.is_file(), reason="mkdocs is not installed; `make docs` does it, or says what failed"
)


@pytest.fixture(scope="module")
def pages(nights: Nights, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sources of the site with the tables of the last night's warehouse."""
    folder = tmp_path_factory.mktemp("site")
    nights.copy(LAST, folder).close()
    write_pages(folder / "pages", generate_docs(folder / "warehouse.duckdb", folder / "dbt"))
    return folder / "pages"


@pytest.fixture(scope="module")
def page(pages: Path) -> str:
    """Return dbt's page."""
    return (pages / "dbt" / "index.html").read_text(encoding="utf-8")


@pytest.mark.long
@needs_mkdocs
def test_make_docs_writes_the_site(tmp_path: Path) -> None:
    assert main(tmp_path / "site") == 0
    dbt_page = (tmp_path / "site" / "dbt" / "index.html").read_text(encoding="utf-8")
    assert embedded(dbt_page, "catalog")["nodes"]


@pytest.mark.long
@needs_mkdocs
def test_the_site_is_complete_and_needs_nothing_from_elsewhere(pages: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = render(pages, site)
    assert done.returncode == 0, done.stdout + done.stderr
    written = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert {path.relative_to(pages).with_suffix("") for path in pages.rglob("*.md")} <= written
    for path in site.rglob("*.html"):
        assert not _FROM_ELSEWHERE.search(path.read_text(encoding="utf-8")), path.name
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert any("doctor" in each["text"] for each in index["docs"])
    home = (site / "index.html").read_text(encoding="utf-8")
    for each in DOCS:
        assert f'href="{each.stem}.html"' in home, f"{each.name} is not in the navigation"


@pytest.mark.long
@needs_mkdocs
def test_a_dead_link_is_an_error(pages: Path, tmp_path: Path) -> None:
    few = tmp_path / "pages"
    few.mkdir()
    (few / "index.md").write_text("[gone](gone.md) [folder](systemd)")
    done = render(few, tmp_path / "site")
    assert done.returncode != 0
    assert all(f"'{each}'" in done.stdout + done.stderr for each in ("gone.md", "systemd"))


def test_the_reference_has_every_command_and_every_column(pages: Path) -> None:
    commands = (pages / "reference" / "commands.md").read_text(encoding="utf-8")
    for name, command in COMMANDS.items():
        section = commands.split(f"\n## spotter {name}\n")[1].split("\n## ")[0]
        shown = [each for each in command.params if not getattr(each, "hidden", False)]
        options = {option for each in shown for option in each.opts}
        assert {each for each in options if each.startswith("--")} <= set(
            re.findall(r"`(--[\w-]+)`", section)
        )
    assert "| `--latency` | Delay of each answer in milliseconds. | `0` |" in commands
    marts = (pages / "reference" / "marts.md").read_text(encoding="utf-8")
    manifest = embedded((pages / "dbt" / "index.html").read_text(encoding="utf-8"), "manifest")
    for node in manifest["nodes"].values():
        if node["schema"] == "marts" and node["resource_type"] == "model":
            section = marts.split(f"\n## {node['name']}\n")[1].split("\n## ")[0]
            assert set(re.findall(r"^\| `(\w+)`", section, flags=re.M)) == set(node["columns"])
    metrics = (pages / "reference" / "metrics.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)`", metrics, flags=re.M)) == {
        each["name"] for each in manifest["metrics"].values()
    }


def embedded(page: str, key: str) -> Any:
    """Return an embedded JSON object of the page: dbt's manifest or catalog."""
    found = re.search(rf'{key}:(?=\{{"metadata")', page)
    assert found, key
    return json.JSONDecoder().raw_decode(page, found.end())[0]


def test_the_page_needs_nothing_from_elsewhere(page: str) -> None:
    assert not _FROM_ELSEWHERE.search(page)


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
