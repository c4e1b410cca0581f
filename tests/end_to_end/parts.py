"""Parts of commands that tests run where the whole would repeat what others prove.

Each function is a program of `run_command`, with the arguments in `sys.argv`.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from orchestration.cli import app
from orchestration.config.settings import load_settings


def import_alone() -> None:
    """Run `spotter health import` without the build of the marts at its end."""
    from orchestration.cli.commands import health

    def no_build(*_: Any, **__: Any) -> None: ...

    health.run_with_progress = no_build  # type: ignore[assignment]
    app.main()


def build_models() -> None:
    """Build these models of the home's warehouse."""
    from orchestration.dbt.runner import build

    with tempfile.TemporaryDirectory() as target:
        outcomes = build(
            load_settings().warehouse,
            Path(target),
            ["--select", *sys.argv[1:], "--exclude-resource-type", "test"],
        )
    assert outcomes
    assert all(each.is_ok for each in outcomes), outcomes
