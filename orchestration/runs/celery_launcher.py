"""Dagster's launcher for Celery that detects a lost worker; it needs the extra `celery`."""

import dagster as dg
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

_QUESTIONS = 2
_ANSWER_S = 5.0


class WatchedCeleryRunLauncher(CeleryRunLauncher):
    """Starts runs as Celery tasks, and asks the worker of a started one for it.

    The state of a task whose whole worker was lost stays "started" in Celery's result backend, so
    without a question its run would count as running until the longest run is over. A ping is not
    enough: a worker that was killed and started again has the same name, and not the task.
    """

    @property
    def supports_resume_run(self) -> bool:
        """Return false: a lost run is retried. The base class passes a wrong argument to resume."""
        return False

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Return the state of the run's task; failed if its worker does not have it any more."""
        found: CheckRunHealthResult = super().check_run_worker_health(run)
        if found.status != WorkerStatus.RUNNING:
            return found
        task = run.tags[DAGSTER_CELERY_TASK_ID_TAG]
        started = self.celery.AsyncResult(task).info
        if not isinstance(started, dict) or self._has_task(worker := started["hostname"], task):
            return found
        # It may have ended in between.
        found = super().check_run_worker_health(run)
        if found.status != WorkerStatus.RUNNING:
            return found
        return CheckRunHealthResult(WorkerStatus.FAILED, f"The Celery worker {worker} lost it.")

    def _has_task(self, worker: str, task: str) -> bool:
        """Return whether a worker answers that it has a task."""
        inspected = self.celery.control.inspect(destination=[worker], timeout=_ANSWER_S)
        answers = (inspected.query_task(task) for _ in range(_QUESTIONS))
        return any(task in answer.get(worker, {}) for answer in answers if answer)
