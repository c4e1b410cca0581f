"""Imports and parsing of a night, done once for all `spotter` commands of a worker.

Nothing here may depend on the environment of a command: it loads its settings itself, and
`command.py` gives it a separate terminal.
"""

# ruff: noqa: E402, F401 - imports for their side effect
import gc

# A seventh of the time of the imports: everything that they create stays.
gc.disable()

from importlib import import_module
from multiprocessing.util import _run_finalizers
from pkgutil import walk_packages

import alembic.command
import anyio._backends._asyncio
import babel.dates
import dagster._daemon
import dbt.task.build
import httpcore
import pandas
import pyarrow.dataset
import pyarrow.parquet
import sqlalchemy.dialects.sqlite
import sqlglot.lineage
import structlog
import upath
from alembic.script import ScriptDirectory
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from dagster._core.storage.sql import get_alembic_config

import coach_agent.llm.planner
import coach_agent.planning.decide
import hevy_connector.fetching.fetch
import orchestration.cli.commands
import orchestration.cli.errors
import orchestration.definitions
import orchestration.defs
import orchestration.runs.jobs
from orchestration.dbt.runner import parsed_project
from tests.migrations_read_once import read_migrations_once

for package in (orchestration.defs, orchestration.cli.commands):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
parsed_project()
read_migrations_once()
migrations = ScriptDirectory.from_config(get_alembic_config(sqlite_run_storage.__file__))
migrations.as_revision_number("head")
# Its semaphores are removed here: they would be reported as leaks of a process that only forks.
_run_finalizers()
# A collection in a command would write to all the memory that it shares with this process.
gc.collect()
gc.freeze()
gc.enable()
