"""What a night imports and parses, done once for all `spotter` commands of a worker.

Nothing here may depend on the environment of a command, so its terminal and settings are left to
each.
"""

# ruff: noqa: F401 - importing is all that it is for
from multiprocessing.util import _run_finalizers

import dbt.task.build
import pyarrow

import coach_agent.coach
import coach_agent.llm.planner
import hevy_connector.sync
from orchestration.lib.dbt import parsed_project

parsed_project()
# Its semaphores are removed here: of a process that only forks they would be reported as leaked.
_run_finalizers()
