"""Simulated days of a lifter and the coach, through real schedules and sensors."""

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorType, TickStatus

from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator, running_simulator
from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.athletes.app_lifter import account_state, train_in_app
from hevy_connector.simulator.athletes.cohort import SimulatedLifter
from hevy_connector.simulator.athletes.trainee import Trainee
from orchestration.config.settings import load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.tags import NIGHTLY
from orchestration.services.simulations.simulation import profile_of
from tests.coach.evaluation.lifters import steady
from tests.end_to_end.world import ROOT, SPOTTER, Home, new_home
from tests.soak.clock import Clock
from tests.soak.servers import SERVERS, Servers, Size, until

FIRST_DAY = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
_TRAINS_AT = timedelta(hours=18)
_NIGHT_AT = timedelta(days=1, hours=3, minutes=17)
_A_MOMENT = timedelta(seconds=2)
# Longer than the interval of any sensor.
_STEP = timedelta(minutes=11)
_GIVES_UP = timedelta(hours=10)
_SETTLES_WITHIN_S = 900.0

Trouble = Literal["api", "run killed", "code killed", "daemon killed", "power lost"]
_TROUBLES: tuple[Trouble, ...] = ("api", "run killed", "code killed", "daemon killed", "power lost")
_FAULTS = (
    "503",
    "500 chance=0.3",
    "429 every=3 retry-after=1",
    "reset chance=0.2",
    "truncate chance=0.2",
    "401 nth=2",
    "reset after method=PUT times=1",
    "slow=1 every=4",
)
# The duration of a run is shorter than this.
_KILLED_WITHIN_S = 12.0
_BACKUP_EVERY_DAYS = 10


@dataclass(frozen=True)
class Day:
    """Measurements at the quiet end of a day."""

    number: int
    troubles: tuple[str, ...]
    seconds: float
    runs: dict[str, int]
    healed_after_min: float
    code: Size
    daemon: Size
    temporary_files: int
    home_mb: float


@dataclass
class World:
    """A lifter's account, its home, and the servers."""

    home: Home
    simulator: RunningSimulator
    lifter: SimulatedLifter
    clock: Clock
    servers: Servers
    instance: dg.DagsterInstance
    trainee: Trainee = field(init=False)
    sessions: int = 0

    def __post_init__(self) -> None:
        self.trainee = Trainee(self.lifter)

    # Actions of the world

    def train(self, day: int) -> bool:
        """Train the routine of the app and log it; return False if it is no training day."""
        today = next((each for each in self.lifter.days if each.day == day), None)
        if today is None:
            return False
        moment = FIRST_DAY + timedelta(days=day) + _TRAINS_AT
        account = self.simulator.account
        account._clock.advance_past(moment)
        routines = {each["title"]: each for each in account.state().routines}
        planned = self.lifter.routines[self.sessions % len(self.lifter.routines)]
        started_at = moment - timedelta(hours=1)
        train_in_app(account, self.trainee, today, routines[planned.title], started_at)
        self.sessions += 1
        return True

    # Actions of the servers

    def settle(self, due: datetime | None = None, on_run: Callable[[], None] | None = None) -> None:
        """Wait until every sensor has ticked at the current time, and no run is active.

        `due` is the scheduled start of a night. `on_run` is called once, with the first run that
        has started.
        """
        since = self.clock.now().timestamp()
        calls = [] if on_run is None else [on_run]

        def is_settled() -> bool:
            self.servers.require_alive()
            runs = self._unfinished()
            if calls and any(run.status is dg.DagsterRunStatus.STARTED for run in runs):
                calls.pop()()
            return not runs and self._have_looked(since, due) and not self._unfinished()

        until(is_settled, "the daemon to be done", _SETTLES_WITHIN_S)

    def heal(self, since: datetime) -> float:
        """Advance the time until the last run since then has succeeded; return the minutes."""
        began = self.clock.now()
        while not self._is_well(since):
            waited = self.clock.now() - began
            assert waited < _GIVES_UP, f"nothing healed within {waited}: {self._last_runs()}"
            self.clock.move_to(self.clock.now() + _STEP)
            self.settle()
        return (self.clock.now() - began).total_seconds() / 60

    def spotter(self, *arguments: str | Path) -> str:
        """Return the output of the command, in a process with this world's clock."""
        done = subprocess.run(
            [SPOTTER, *arguments], env=self.home.env, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def runs(self) -> list[dg.RunRecord]:
        """Return all runs, newest first."""
        return list(self.instance.get_run_records())

    def _unfinished(self) -> list[dg.DagsterRun]:
        return [run for run in self.instance.get_runs(limit=5) if run.status not in _ENDED]

    def _is_well(self, since: datetime) -> bool:
        nights = [each for each in self.runs() if each.dagster_run.job_name == NIGHTLY]
        lately = [each for each in nights[:20] if each.create_timestamp >= since]
        return bool(lately) and lately[0].dagster_run.status is dg.DagsterRunStatus.SUCCESS

    def _have_looked(self, since: float, due: datetime | None) -> bool:
        states = self.instance.all_instigator_state()
        sensors = [each for each in states if each.instigator_type is InstigatorType.SENSOR]
        nights = [each for each in states if each.instigator_name.startswith(NIGHTLY)]
        if not sensors or not nights:
            return False
        wanted = [(each, since - 1) for each in sensors]
        wanted += [(each, due.timestamp()) for each in nights if due is not None]
        return all(self._has_ticked(each, moment) for each, moment in wanted)

    def _has_ticked(self, state: Any, since: float) -> bool:
        ticks = self.instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=1)
        return bool(
            ticks and ticks[0].status is not TickStatus.STARTED and ticks[0].timestamp >= since
        )

    def _last_runs(self) -> list[str]:
        return [
            f"{each.create_timestamp:%d %H:%M} {each.dagster_run.status.value}"
            for each in self.runs()[:8]
        ]


_ENDED = {
    dg.DagsterRunStatus.SUCCESS,
    dg.DagsterRunStatus.FAILURE,
    dg.DagsterRunStatus.CANCELED,
}


@contextmanager
def world_in(folder: Path, days: int) -> Iterator[World]:
    """Yield a world on the evening of its first day; at exit all its processes are stopped."""
    lifter = steady(5, weeks=days // 7 + 1)
    clock = Clock(folder, FIRST_DAY + _TRAINS_AT + _STEP)
    state = account_state(lifter, 1, FIRST_DAY - timedelta(days=1))
    account = Account(state, clock=SimulatedClock(FIRST_DAY))
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        temporary = folder / "tmp"
        temporary.mkdir()
        home = new_home(folder, simulator.url, TMPDIR=str(temporary), **clock.env)
        _write_profile(home, lifter)
        servers = Servers(folder, home.env)
        with dagster_instance(load_settings(home.env)) as instance:
            try:
                yield World(home, simulator, lifter, clock, servers, instance)
            finally:
                servers.kill(*(name for name in SERVERS if servers.is_running(name)))


def pass_days(
    world: World, days: int, rng: random.Random | None, on_day: Callable[[Day], None]
) -> None:
    """Simulate days; with `rng` two of three have a fault."""
    servers = world.servers
    world.train(0)
    world.spotter("run")
    servers.start(*SERVERS)
    world.settle()
    for number in range(days):
        began, done_before = time.monotonic(), len(world.runs())
        morning = FIRST_DAY + timedelta(days=number)
        troubles: list[str] = []
        healing = 0.0
        is_training = number > 0 and world.train(number)
        trouble_at = None if rng is None else rng.choice(("evening", "night", "never"))
        if trouble_at == "evening" and not is_training:
            trouble_at = "night"
        if is_training:
            at = morning + _TRAINS_AT
            trouble = _drawn(rng) if trouble_at == "evening" else None
            healing += _window(world, at + _STEP, None, trouble, rng, troubles)
        due = morning + _NIGHT_AT
        trouble = _drawn(rng) if trouble_at == "night" else None
        healing += _window(world, due + _A_MOMENT, due, trouble, rng, troubles)
        if rng is not None and number % _BACKUP_EVERY_DAYS == _BACKUP_EVERY_DAYS - 1:
            file = world.home.folder / "backup.tar"
            file.unlink(missing_ok=True)
            world.spotter("backup", file)
            troubles.append("backup")
        ended = [run.dagster_run.status.value for run in world.runs()]
        on_day(
            Day(
                number=number,
                troubles=tuple(troubles),
                seconds=time.monotonic() - began,
                runs=dict(Counter(ended[: len(ended) - done_before])),
                healed_after_min=healing,
                code=servers.size("code"),
                daemon=servers.size("daemon"),
                temporary_files=sum(1 for _ in (world.home.folder / "tmp").iterdir()),
                home_mb=_size_mb(world.home.folder / "home"),
            )
        )


def _drawn(rng: random.Random | None) -> Trouble | None:
    return None if rng is None else rng.choice(_TROUBLES)


def _window(
    world: World,
    at: datetime,
    due: datetime | None,
    trouble: Trouble | None,
    rng: random.Random | None,
    told: list[str],
) -> float:
    """Simulate the time of a run with a fault; return the minutes until recovery."""
    servers, since = world.servers, at - _STEP
    on_run = None
    if rng is not None and trouble is not None:
        told.append(trouble)
        killed_after_s = rng.uniform(0, _KILLED_WITHIN_S)

        def strike() -> None:
            time.sleep(killed_after_s)
            if trouble == "run killed":
                servers.kill_run()
            elif trouble == "code killed":
                servers.kill("code")
                servers.start("code")
            elif trouble == "daemon killed":
                servers.kill("daemon")
                servers.start("daemon")
            else:
                servers.kill(*SERVERS)
                servers.start(*SERVERS)

        if trouble == "api":
            rule = rng.choice(_FAULTS)
            told[-1] = f"api: {rule}"
            world.simulator.faults.set([rule])
        else:
            on_run = strike
    world.clock.move_to(at)
    world.settle(due, on_run)
    world.simulator.faults.clear()
    return world.heal(since)


def _size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _write_profile(home: Home, lifter: SimulatedLifter) -> None:
    (home.athletes / "demo.toml").unlink()
    gym = profile_of(lifter).gym
    (home.athletes / "simulated.toml").write_text(
        f"""
        id = "simulated"
        routines = {[each.title for each in lifter.routines]}
        [hevy]
        account = "simulator"
        [publish]
        mode = "auto"
        [equipment]
        bar_kg = {gym.bar_kg}
        plate_pairs_kg = {list(gym.plate_pairs_kg)}
        dumbbells_kg = {list(gym.dumbbells_kg)}
        machine_step_kg = {gym.machine_step_kg}
        cable_step_kg = {gym.cable_step_kg}
        """
    )
