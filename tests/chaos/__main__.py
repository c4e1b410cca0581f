"""`python -m tests.chaos --athletes 2000`: one night twice, by one process and by killed workers.

The first is on a file and undisturbed. The second is on a lake with several workers, of which some
are killed at random moments, and whose PostgreSQL crashes in the middle. Exit code 1 if anything
of marts, plans, publications or accounts differs in the end.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from orchestration.lib.local_postgres import running_postgres
from tests.end_to_end.crowd import Killer, accounts, home_of_many, result, running_accounts
from tests.end_to_end.world import ROOT, SPOTTER
from tests.lakes import Lakes
from tests.ports import free_port

_NIGHTS = 3


def main() -> int:
    """Run both nights and tell what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--athletes", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1, help="decides who is killed, and when")
    asked = parser.parse_args()
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="spotter-chaos.") as folder:
        with console.status("one process, on a file"):
            expected, undisturbed_s = _undisturbed(Path(folder) / "file", asked.athletes)
        console.print(f"one process, on a file: {undisturbed_s:.0f} s")
        with console.status(f"{asked.workers} workers, on a lake"):
            found, told = _disturbed(Path(folder) / "lake", asked)
    differences = [name for name in expected if found[name] != expected[name]]
    report = {
        "athletes": asked.athletes,
        "undisturbed_s": round(undisturbed_s, 1),
        **told,
        "plans": len(found["plans"]),
        "differences": differences,
    }
    print(json.dumps(report, indent=2))
    return 1 if differences else 0


def _undisturbed(folder: Path, count: int) -> tuple[dict[str, Any], float]:
    with running_accounts(accounts(count)) as service:
        home = home_of_many(folder, service.url, count, {})
        began = time.monotonic()
        subprocess.run(
            [SPOTTER, "run", "--json"],
            env=home.env,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return result(home, service), time.monotonic() - began


def _disturbed(folder: Path, asked: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Nights until one leaves nothing undone; who kills does so in the first alone."""
    with running_postgres(free_port()) as postgres:
        lakes = Lakes(postgres)
        variables = lakes.new(folder)
        with running_accounts(accounts(asked.athletes)) as service:
            home = home_of_many(folder, service.url, asked.athletes, variables)
            command = [SPOTTER, "run", "--workers", str(asked.workers), "--json"]
            killed = crashes = 0
            nights = []
            while len(nights) < _NIGHTS and (not nights or nights[-1]["failed"]):
                began = time.monotonic()
                with subprocess.Popen(
                    command, env=home.env, cwd=ROOT, stdout=subprocess.PIPE, text=True
                ) as night:
                    killer = Killer(
                        night.pid,
                        lambda: lakes.crash(variables),
                        seed=asked.seed,
                        kills=0 if nights else asked.kills,
                    )
                    killer.start()
                    out, _ = night.communicate()
                    killer.end()
                killed, crashes = killed + killer.killed, crashes + killer.crashes
                nights.append({**json.loads(out), "wall_s": round(time.monotonic() - began, 1)})
            told = {"killed": killed, "crashes": crashes, "nights": nights}
            return result(home, service), told


if __name__ == "__main__":
    sys.exit(main())
