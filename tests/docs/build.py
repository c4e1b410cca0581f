"""The documentation site: guides, reference, and dbt's own page; it needs no network.

`make docs`: builds the warehouse of the demo athlete in a temporary folder, for the types of the
tables, writes the site and prints the path of its first page.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from orchestration.config.locations import CODE_ROOT
from orchestration.dbt.checks import failures
from orchestration.dbt.metrics import SemanticLayer
from orchestration.dbt.runner import build, ensure_semantic_manifest, generate_docs
from tests.build_dbt import land_demo_athlete
from tests.docs.reference import commands_markdown, marts_markdown, metrics_markdown

SITE = CODE_ROOT / "site"
MKDOCS = CODE_ROOT / ".venv-docs" / "mkdocs" / "bin" / "mkdocs"
_DOCS = CODE_ROOT / "docs"
# Links of the pages that lead out of the folder of the docs, as they are written there.
_LEAVES = re.compile(r"\[([^\]]+)\]\((?:\.\./)+[^)]*\)")


def main(site: Path = SITE) -> int:
    """Write the site; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        warehouse, target = Path(folder) / "warehouse.duckdb", Path(folder) / "dbt"
        land_demo_athlete(warehouse)
        broken = failures(build(warehouse, target, ["--exclude-resource-type", "test"]))
        if broken:
            print("\n".join(broken), file=sys.stderr)
            return 1
        pages = Path(folder) / "pages"
        write_pages(pages, generate_docs(warehouse, target))
        done = render(pages, site)
    if done.returncode == 0:
        print(site / "index.html")
    else:
        print(done.stdout + done.stderr, file=sys.stderr)
    return done.returncode


def write_pages(pages: Path, dbt_page: Path) -> None:
    """Write the sources of the site: the guides, the home page, the reference, dbt's page.

    `dbt_page` lies next to the manifest and catalog of its run.
    """
    ignored = shutil.ignore_patterns("mkdocs.yml")
    shutil.copytree(_DOCS, pages, ignore=ignored)
    for page in pages.glob("*.md"):
        page.write_text(_LEAVES.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
    (pages / "index.md").write_text(home_page(), encoding="utf-8")
    manifest, catalog = (
        json.loads((dbt_page.parent / name).read_text(encoding="utf-8"))
        for name in ("manifest.json", "catalog.json")
    )
    reference = pages / "reference"
    reference.mkdir()
    metrics = SemanticLayer(ensure_semantic_manifest()).metrics()
    (reference / "commands.md").write_text(commands_markdown(), encoding="utf-8")
    (reference / "marts.md").write_text(marts_markdown(manifest, catalog), encoding="utf-8")
    (reference / "metrics.md").write_text(metrics_markdown(metrics), encoding="utf-8")
    (pages / "dbt").mkdir()
    shutil.copyfile(dbt_page, pages / "dbt" / "index.html")


def home_page() -> str:
    """Return the README as the home page of the site."""
    text = (CODE_ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"\[([^\]]+)\]\(LICENSE\)", r"\1", re.sub(r'(\(|")docs/', r"\1", text))


def render(pages: Path, site: Path) -> "subprocess.CompletedProcess[str]":
    """Render the pages into `site`; a dead link is an error."""
    config = pages.parent / "mkdocs.yml"
    config.write_text(
        yaml.safe_dump(
            {"INHERIT": str(_DOCS / "mkdocs.yml"), "docs_dir": str(pages), "site_dir": str(site)}
        )
    )
    command = [MKDOCS, "build", "--strict", "--config-file", config]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
