"""A nightly run on a lake in stages, with concurrent processes for partitions of the athletes.

Failures are isolated by partition: if one process is killed or fails, the others continue. Marts
are built and released once for all, in their own processes. A stage that was killed, or lost the
lake's catalog, is retried and resumes.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestration.runs.partitions import Shard, all_shards
from orchestration.runs.tags import BRIEF, COACH, MODELS, RELEASE, SYNC

EXIT_RETRY = 75
"""Exit code of a stage that may succeed if retried: sysexits' EX_TEMPFAIL."""

_TRIES = 4
_END_WITH_US = "--end-with-input"

# Without SIGTERM: a process that was asked to stop is not retried.
_LOST = frozenset({signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT})

OnStage = Callable[[str], None]
RunCommand = Callable[[Sequence[str]], subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class Stage:
    """A job of a nightly run; with `in_shards` it runs once per partition."""

    job: str
    in_shards: bool


STAGES = (
    Stage(SYNC, in_shards=True),
    Stage(MODELS, in_shards=False),
    Stage(COACH, in_shards=True),
    Stage(RELEASE, in_shards=False),
    Stage(BRIEF, in_shards=True),
)


@dataclass(frozen=True)
class StageResult:
    """Result of a stage for a partition, or for all: its output and the number of attempts."""

    job: str
    shard: Shard | None
    code: int
    begun: int
    told: dict[str, Any] = field(default_factory=dict)
    error: str = ""

    @property
    def is_done(self) -> bool:
        """Return true if its run completed, even with failed checks."""
        return bool(self.told)

    @property
    def is_clean(self) -> bool:
        """Return true if it completed and nothing failed for all athletes."""
        return self.code == 0

    def __str__(self) -> str:
        return self.job if self.shard is None else f"{self.job} {self.shard}"


RunStage = Callable[[str, Shard | None], StageResult]
"""Run a stage for a partition, or for all."""


def populated_shards(athletes: Iterable[str], count: int) -> tuple[Shard, ...]:
    """Return the partitions that have athletes."""
    ids = list(athletes)
    return tuple(shard for shard in all_shards(count) if any(shard.has(each) for each in ids))


def run_stages(shards: Sequence[Shard], do: RunStage, on_part: OnStage) -> list[StageResult]:
    """Run all stages in order; the partitions of a stage run concurrently.

    A failed partition is excluded from the following stages. A failure of the models stops the run.

    Raises:
        StopRequestedError: this process was asked to stop, so all workers were stopped.
    """
    ends: list[StageResult] = []
    left = list(shards)
    for part in STAGES:
        found = _run_stage(part, left, do, on_part)
        ends += found
        failed = {end.shard for end in found if not end.is_done}
        left = [shard for shard in left if shard not in failed]
        if not left or (part.job == MODELS and failed):
            break
    return ends


def _run_stage(
    part: Stage, shards: Sequence[Shard], do: RunStage, on_part: OnStage
) -> list[StageResult]:
    wanted: list[Shard | None] = [*shards] if part.in_shards else [None]
    on_part(part.job)
    ends = []
    with ThreadPoolExecutor(len(wanted)) as pool:
        for future in as_completed([pool.submit(do, part.job, shard) for shard in wanted]):
            ends.append(future.result())
            if part.in_shards:
                on_part(f"{part.job}: {len(ends)} of {len(wanted)} shards")
    return sorted(ends, key=lambda end: end.shard.number if end.shard else 0)


def stage_runner(run: RunCommand, options: Sequence[str]) -> RunStage:
    """Run each stage and partition in its own process, with these additional options."""

    def do(job: str, shard: Shard | None) -> StageResult:
        program = Path(sys.executable).with_name("spotter")
        of_shard = [] if shard is None else ["--shard", str(shard)]
        command = [str(program), "part", job, "--json", _END_WITH_US, *of_shard, *options]
        begun = 0
        while True:
            begun += 1
            ended = run(command)
            was_lost = -ended.returncode in _LOST or ended.returncode == EXIT_RETRY
            if begun == _TRIES or not was_lost:
                break
        is_told = ended.returncode >= 0 and bool(ended.stdout)
        told = json.loads(ended.stdout) if is_told else {}
        error = ended.stderr.strip() or f"It ended by signal {-ended.returncode}."
        return StageResult(job, shard, ended.returncode, begun, told, error)

    return do
