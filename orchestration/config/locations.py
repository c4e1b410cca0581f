"""Folders of the program's files, in a checkout or in an installed wheel."""

import hashlib
from importlib.metadata import distribution
from pathlib import Path

import platformdirs

CODE_ROOT = Path(__file__).resolve().parents[2]
"""Folder of the packages: the checkout, or site-packages."""

IS_CHECKOUT = (CODE_ROOT / "pyproject.toml").is_file()

PROJECT_FILES = CODE_ROOT if IS_CHECKOUT else CODE_ROOT / "orchestration" / "project_files"
"""Folder of the dbt project, the documentation, the demo's profile and dagster.yaml."""

DASHBOARD_PAGE = CODE_ROOT / "dashboard" / "app.py"


def user_folder() -> Path:
    """Return the folder of `.env`, profiles and home: the checkout, or the user's data folder."""
    return CODE_ROOT if IS_CHECKOUT else platformdirs.user_data_path("spotter", appauthor=False)


def parse_folder() -> Path:
    """Return the folder of dbt's parsed project.

    An installed project may be read-only, so its folder is in the user's cache, one per version of
    the files.
    """
    if IS_CHECKOUT:
        return PROJECT_FILES / "dbt_project" / "target"
    files = distribution("spotter").read_text("RECORD") or ""
    digest = hashlib.sha256(files.encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("spotter", appauthor=False) / "dbt" / digest
