"""What a night imports and parses, done once for all `spotter` commands of a worker.

Nothing here may depend on the environment of a command: it loads its settings itself, and
`command.py` gives it a terminal of its own.
"""

# ruff: noqa: F401 - importing is all that it is for
import gc
from multiprocessing.util import _run_finalizers

import dbt.task.build
import pyarrow

import coach_agent.coach
import coach_agent.llm.planner
import hevy_connector.sync
import orchestration.cli
import orchestration.definitions
from orchestration.lib.dbt import parsed_project

parsed_project()
# Its semaphores are removed here: of a process that only forks they would be reported as leaked.
_run_finalizers()
# A collection in a command would write to, and so copy, the memory that it shares with this process.
gc.collect()
gc.freeze()
