"""A night of athletes with separate accounts; one has a wrong key, one an unreachable address."""

import pickle
import re
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hevy_connector.simulator import demo_account
from hevy_connector.simulator.api.account import Account
from tests.end_to_end.crowd import ManyAccounts, running_accounts
from tests.end_to_end.world import NOW, ROOT, Home, new_home
from tests.ports import free_port

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

WRONG_KEY = "11111111-marker-key-2222-333333333333"
RIGHT_KEY = "44444444-right-key-5555-666666666666"
DEMO_KEY = "77777777-demo-key-8888-999999999999"
FAULTS = ("503 every=7", "reset nth=9", "truncate nth=12", "reset after method=PUT nth=1")

# Kim's answers to `spotter init`, some of them after an error.
ANSWERS = (
    *("kim", "Kim", "Berlin", "Europe/Berlin", "", "strong", "strength", "10", "60", "lb"),
    *("45", "forty", "45 25 10 5 2.5", "5-50 by 5", "9", "1 3", "yes"),
)


@dataclass(frozen=True)
class AccountsNight:
    """Output of each command, and its number of writes to the accounts.

    `first` has a wrong key and runs alone before the others join: `me` with the profile of
    docs/commands.md, `kim` from `spotter init`, both with the account of RIGHT_KEY, and `demo`,
    who trained until today and has an undeliverable briefing. `users` is the number of known
    accounts after the night of `first`, `accounts` the pickled ones by key.
    """

    folder: Path
    refused: subprocess.CompletedProcess[str]
    users: int
    asked: subprocess.CompletedProcess[str]
    report: Any
    put_counts: dict[str, int]
    accounts: bytes

    def accounts_by_key(self) -> dict[str, Account]:
        found: dict[str, Account] = pickle.loads(self.accounts)  # noqa: S301 - written below
        return found


def only(home: Home, *athletes: str) -> Home:
    """Return the home with the profiles of these athletes and no others."""
    for file in home.athletes.iterdir():
        if file.stem not in athletes:
            file.unlink()
    return home


def run_accounts_night(folder: Path, variables: dict[str, str]) -> AccountsNight:
    """Run it in a new home in the folder."""
    accounts = {
        RIGHT_KEY: demo_account(seed=1, now=NOW),
        DEMO_KEY: demo_account(seed=1, now=datetime.now(UTC)),
    }
    with running_accounts(accounts, faults=FAULTS) as service:
        home = _home(folder, service, variables)
        refused = home.spotter("run")
        [(users,)] = home.query("select count(*) from raw.hevy_users")
        asked = home.spotter("init", given="".join(f"{line}\n" for line in ANSWERS))
        [profile] = re.findall(r"^```toml\n(.*?)^```", COMMANDS, flags=re.M | re.S)
        (home.athletes / "me.toml").write_text(profile, encoding="utf-8")
        # With other accounts a simulator account would be left out.
        demo = (
            (ROOT / "athletes" / "demo.toml")
            .read_text(encoding="utf-8")
            .replace('account = "simulator"', 'account = "hevy"\napi_key_env = "DEMO_HEVY_KEY"', 1)
        )
        wishes = f'\n[notify]\nurls = ["json://127.0.0.1:{free_port()}"]\n'
        (home.athletes / "demo.toml").write_text(f"{demo}{wishes}", encoding="utf-8")
        report = home.spotter_json("run")
        return AccountsNight(
            folder,
            refused=refused,
            users=users,
            asked=asked,
            report=report,
            put_counts={key: service.put_count(key) for key in service.services},
            accounts=pickle.dumps({key: one.account for key, one in service.services.items()}),
        )


def _home(folder: Path, service: ManyAccounts, variables: dict[str, str]) -> Home:
    keys = {"FIRST_HEVY_KEY": WRONG_KEY, "HEVY_API_KEY": RIGHT_KEY, "DEMO_HEVY_KEY": DEMO_KEY}
    home = only(new_home(folder, service.url, **variables, **keys))
    text = 'id = "first"\n[hevy]\napi_key_env = "FIRST_HEVY_KEY"\n'
    (home.athletes / "first.toml").write_text(text, encoding="utf-8")
    return home
