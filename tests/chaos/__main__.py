"""`python -m tests.chaos --athletes 2000`: one night twice, by one process and by killed runs.

The first is on a file and undisturbed. The second is a night of partitions on a lake, through
Dagster's queue: some of its runs are killed at random moments, and its PostgreSQL crashes in the
middle. With `--celery 2` runs are tasks of two workers with homes of their own, Dagster keeps its
history in the same PostgreSQL, and whole workers are killed and started again. A calm night follows
each, and must find nothing to repair and duplicate nothing. Exit code 1 if nothing was disturbed,
or if tables, marts, plans, publications or accounts differ in the end.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console

from orchestration.config.limits import LONGEST_RUN_S
from orchestration.storage.local_postgres import running_postgres
from tests.bench.service import pss_bytes
from tests.chaos.proof import Content, Keys, contents, differences, disturbances_missing, keys_of
from tests.end_to_end.celery_workers import Workers, missing, redis, variables_of
from tests.end_to_end.crowd import (
    Killer,
    ManyAccounts,
    accounts,
    done,
    home_of_many,
    kill,
    running_accounts,
)
from tests.end_to_end.partitioned import await_night, owed_night, runs_of_nights
from tests.end_to_end.world import ROOT, SPOTTER, Home
from tests.lakes import Lakes
from tests.ports import free_port
from tests.soak.servers import Servers

_NIGHTS = 3
_RETRY_TAG = "dagster/retry_number"
_TAIL = 2000  # characters of the output of a night that ended without a report
_LOOK_EVERY_S = 1.0
# Kills are spread over the night, whose length the undisturbed one shows.
_LEAST_PAUSE_S = 6.0

# Both nights have to be of one day. Rather too much than too little; a shortage is detected, too.
_ROOM = timedelta(minutes=30)
_ROOM_AN_ATHLETE = timedelta(seconds=5)

Tell = Callable[[str], None]


class NoProofError(Exception):
    """The nights cannot be compared; the text gives the reason."""


@dataclass(frozen=True)
class Left:
    """State after the nights: tables of the warehouse and the release, plans and accounts."""

    warehouse: dict[str, Content]
    release: dict[str, Content]
    done: dict[str, Any]


def main() -> int:
    """Run both nights and report the differences."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--athletes", type=int, default=2000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--celery", type=int, default=0, metavar="WORKERS", help="0: no Celery")
    parser.add_argument("--seed", type=int, default=1, help="decides who is killed, and when")
    parser.add_argument(
        "--folder",
        type=Path,
        help="a new folder in which both homes stay, and the lake's catalog as catalog.sql",
    )
    asked = parser.parse_args()
    if asked.folder is not None and asked.folder.exists():
        parser.error(f"{asked.folder} is there already: name a folder that is not.")
    if asked.celery and (reason := missing()):
        parser.error(reason)
    console = Console(stderr=True)
    began = time.monotonic()

    def tell(text: str) -> None:
        console.print(f"{time.monotonic() - began:6.0f} s  {text}", highlight=False)

    try:
        report = _both(asked, tell)
    except NoProofError as reason:
        tell(str(reason))
        return 1
    print(json.dumps(report, indent=2))
    for line in report["not_proved"]:
        tell(line)
    return 1 if report["not_proved"] else 0


def _both(asked: argparse.Namespace, tell: Tell) -> dict[str, Any]:
    day = _day_with_room(asked.athletes)
    with _folder(asked.folder) as folder:
        tell("one process, on a file")
        expected, keys, undisturbed = _undisturbed(folder / "file", asked.athletes, tell)
        tell(f"{asked.partitions} partitions, on a lake")
        pause_s = max(_LEAST_PAUSE_S, undisturbed[0]["wall_s"] / (asked.kills + 2))
        found, told = _disturbed(folder / "lake", asked, keys, pause_s, tell)
    not_proved = [
        *disturbances_missing(told["killed"], told["crashes"], told["nights"]),
        *differences(expected.warehouse, found.warehouse, "warehouse"),
        *differences(expected.release, found.release, "release"),
        *(f"{name} differ" for name in expected.done if found.done[name] != expected.done[name]),
    ]
    if _now().date() != day:
        not_proved.append("midnight passed, so the nights were not of one day: begin earlier")
    tables = {**expected.warehouse, **expected.release}
    return {
        "athletes": asked.athletes,
        "undisturbed": undisturbed,
        **told,
        "plans": len(found.done["plans"]),
        "tables": len(expected.warehouse) + len(expected.release),
        "rows": sum(content.rows for content in tables.values()),
        "keys": sum(len(keys.get(name, ())) for name in expected.warehouse),
        "not_compared": {
            name: content.left_out for name, content in tables.items() if content.left_out
        },
        "not_proved": not_proved,
    }


@contextmanager
def _folder(asked: Path | None) -> Iterator[Path]:
    if asked is not None:
        asked.mkdir(parents=True)
        yield asked.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="spotter-chaos.") as folder:
        yield Path(folder)


def _day_with_room(athletes: int) -> date:
    """Return the athletes' day, with enough time left for both nights.

    Raises:
        NoProofError: there is not enough.
    """
    now = _now()
    room = _ROOM + athletes * _ROOM_AN_ATHLETE
    if (now + room).date() != now.date():
        raise NoProofError(
            f"The nights of {athletes} athletes may take {room}, and midnight of {now.tzinfo} is "
            "nearer: their plans would be of two days. Begin after it."
        )
    return now.date()


def _now() -> datetime:
    profile = tomllib.loads((ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8"))
    return datetime.now(ZoneInfo(profile["timezone"]))


def _undisturbed(folder: Path, count: int, tell: Tell) -> tuple[Left, Keys, list[dict[str, Any]]]:
    """Run two nights in one process; return their state, the keys of the file, and their costs.

    Raises:
        NoProofError: one failed.
    """
    with running_accounts(accounts(count)) as service:
        home = home_of_many(folder, service.url, count, {})
        nights = []
        while len(nights) < 2:
            nights.append(_night(home, [SPOTTER, "run", "--json"], tell))
            if nights[-1]["code"] != 0:
                raise NoProofError(f"An undisturbed night failed: {nights[-1]}")
        with home.opened() as con:
            keys = dict(keys_of(con))
        with home.opened(home.release) as con:
            released = keys_of(con)
        # Marts have their keys in a release only.
        keys |= released
        keys |= {table.replace("main.", "marts.", 1): key for table, key in released.items()}
        return _left(home, service, keys), keys, nights


def _disturbed(
    folder: Path, asked: argparse.Namespace, keys: Keys, pause_s: float, tell: Tell
) -> tuple[Left, dict[str, Any]]:
    """Run a disturbed night, then nights until one is complete, and one more.

    `pause_s` is the mean time between two disturbances.
    """
    with ExitStack() as stack:
        lakes = Lakes(stack.enter_context(running_postgres(free_port())))
        variables = {**lakes.new(folder), "SPOTTER_PARTITIONS": str(asked.partitions)}
        if asked.celery:
            variables |= variables_of(lakes, stack.enter_context(redis()))
        service = stack.enter_context(running_accounts(accounts(asked.athletes)))
        home = home_of_many(folder, service.url, asked.athletes, variables)
        home.folder.joinpath("home").mkdir()
        workers = Workers(home)
        stack.callback(workers.stop)
        for number in range(asked.celery):
            workers.start(f"worker-{number}")
        with owed_night(home) as servers:

            def kills() -> list[Callable[[], bool]]:
                runs = [partial(kill, process) for process in servers.run_processes()]
                return [*runs, *(partial(workers.reboot, name) for name in workers.busy())]

            def memory_bytes() -> int:
                return servers.memory_bytes() + workers.memory_bytes()

            killer = Killer(
                kills,
                lambda: lakes.crash(variables),
                seed=asked.seed,
                kills=asked.kills,
                pause_s=pause_s,
                tell=tell,
            )
            nights = [_queued_night(home, servers, killer, memory_bytes, tell)]
        command = [SPOTTER, "run", "--json"]
        while len(nights) < _NIGHTS and nights[-1]["failed"] != {}:
            nights.append(_night(home, command, tell))
        nights.append(_night(home, command, tell))
        if asked.folder is not None:
            lakes.keep(variables, folder)
        told = {"killed": killer.killed, "crashes": killer.crashes, "nights": nights}
        return _left(home, service, keys), told


def _queued_night(
    home: Home,
    servers: Servers,
    killer: Killer,
    memory_bytes: Callable[[], int],
    tell: Tell,
) -> dict[str, Any]:
    """Run the night that the home owes; return its failed and retried runs, seconds and memory."""
    began = time.monotonic()
    memory = _Memory(memory_bytes)
    for thread in (memory, killer):
        thread.start()
    try:
        night = await_night(home, servers, LONGEST_RUN_S)
    finally:
        for thread in (memory, killer):
            thread.end()
    retried = [record for record in runs_of_nights(home) if _RETRY_TAG in record.dagster_run.tags]
    took = _cost(began, memory)
    tell(f"a night ended, {took['wall_s']} s, {took['peak_gb']} GB, {len(retried)} retries")
    return {
        "failed": {
            f"{run.job} {run.partition or ''}".rstrip(): run.run_id
            for run in night.runs
            if run.state == "failed"
        },
        "retried": len(retried),
        **took,
    }


def _night(home: Home, command: Sequence[str | Path], tell: Tell) -> dict[str, Any]:
    """Run a night; return report and exit code, seconds and the peak memory of all processes.

    One without a report has `crashed`, the end of its output.
    """
    began = time.monotonic()
    night = subprocess.Popen(
        command,
        env=home.env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    memory = _Memory(lambda: pss_bytes(night.pid))
    memory.start()
    try:
        out, err = night.communicate()
    finally:
        night.terminate()
        memory.end()
    took = {"code": night.returncode, **_cost(began, memory)}
    tell(f"a night ended with {took['code']}, {took['wall_s']} s, {took['peak_gb']} GB")
    return {**_report(out, err), "failed": {} if night.returncode == 0 else {"run": err}, **took}


def _cost(began: float, memory: "_Memory") -> dict[str, Any]:
    return {
        "wall_s": round(time.monotonic() - began, 1),
        "peak_gb": round(memory.peak_bytes / 1e9, 2),
    }


def _report(out: str, err: str) -> Mapping[str, Any]:
    try:
        report = json.loads(out)
    except json.JSONDecodeError:
        return {"crashed": (out + err)[-_TAIL:] or "it printed nothing"}
    return {
        name: report[name]
        for name in ("sent_to_hevy", "new_raw_rows", "warnings")
        if name in report
    }


def _left(home: Home, service: ManyAccounts, keys: Keys) -> Left:
    with home.opened() as con:
        warehouse = contents(con, keys)
    with home.opened(home.release) as con:
        release = contents(con, keys)
    return Left(warehouse, release, done(home, service))


class _Memory(threading.Thread):
    """Measures each second the memory of processes, in bytes."""

    def __init__(self, measure: Callable[[], int]) -> None:
        super().__init__()
        self._measure = measure
        self._ended = threading.Event()
        self.peak_bytes = 0

    def run(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            self.peak_bytes = max(self.peak_bytes, self._measure())

    def end(self) -> None:
        self._ended.set()
        self.join()


if __name__ == "__main__":
    sys.exit(main())
