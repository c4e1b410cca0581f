"""Dagster's launcher for Celery that detects a lost worker; it needs the extra `celery`."""

import dagster as dg
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

_PINGS = 2
_PING_S = 5.0


class WatchedCeleryRunLauncher(CeleryRunLauncher):
    """Starts runs as Celery tasks, and pings the worker of a started one.

    The state of a task whose whole worker was lost stays "started" in Celery's result backend, so
    without a ping its run would count as running until the longest run is over.
    """

    @property
    def supports_resume_run(self) -> bool:
        """Return false: a lost run is retried. The base class passes a wrong argument to resume."""
        return False

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Return the state of the run's task; failed if its worker does not answer."""
        found: CheckRunHealthResult = super().check_run_worker_health(run)
        if found.status != WorkerStatus.RUNNING:
            return found
        started = self.celery.AsyncResult(run.tags[DAGSTER_CELERY_TASK_ID_TAG]).info
        if not isinstance(started, dict):
            return found  # it ended in between
        worker = started["hostname"]
        answers = (
            self.celery.control.ping(destination=[worker], timeout=_PING_S) for _ in range(_PINGS)
        )
        if any(answers):
            return found
        return CheckRunHealthResult(WorkerStatus.FAILED, f"The Celery worker {worker} is lost.")
