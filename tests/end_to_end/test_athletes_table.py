"""Athletes of a PostgreSQL table behave like those of files."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.crowd import accounts, home_of_many, running_accounts
from tests.end_to_end.world import Home
from tests.lakes import Lakes
from tests.ports import free_port

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Clients:
    """A home of one athlete in a file and one in a row, and access to the table."""

    home: Home
    lakes: Lakes
    row: str

    def execute(self, sql: str) -> None:
        url = self.home.extra["SPOTTER_ATHLETES_DATABASE"]
        subprocess.run(
            [self.lakes.postgres.programs / "psql", "--quiet", "--set=ON_ERROR_STOP=1", url],
            env={"PGPASSWORD": self.lakes.postgres.password},
            input=sql,
            text=True,
            check=True,
        )

    def told(self, *command: str) -> str:
        """Return the message of a command that fails."""
        done = self.home.spotter(*command)
        assert done.returncode == 2, done.stdout + done.stderr
        return " ".join(done.stderr.split())


@pytest.fixture
def clients(lakes: Lakes, tmp_path: Path) -> Iterator[Clients]:
    with running_accounts(accounts(2)) as service:
        variables = {
            "SPOTTER_ATHLETES_DATABASE": lakes.postgres.new_database(f"clients_{free_port()}"),
            "PGPASSWORD": lakes.postgres.password,
        }
        home = home_of_many(tmp_path, service.url, 2, variables)
        row = home.athletes / "lifter-1.toml"
        found = Clients(home, lakes, row.read_text(encoding="utf-8"))
        row.unlink()
        yield found


def test_a_row_is_an_athlete_as_a_file_is(clients: Clients) -> None:
    assert "The table athletes (id, profile)" in clients.told("run")

    clients.execute("create table athletes (id text primary key, profile text not null);")
    clients.execute(f"insert into athletes values ('lifter-1', $row${clients.row}$row$);")
    assert clients.home.spotter_json("run")["sent_to_hevy"] == 2
    shown = clients.home.spotter_json("plan", "show", "--athlete", "lifter-1")
    assert shown["publication_state"] == "published"

    assert "edit it there" in clients.told(
        "profile", "set", "goal.kind=strength", "--athlete", "lifter-1"
    )
    assert not (clients.home.athletes / "lifter-1.toml").exists()

    clients.execute("update athletes set profile = profile || E'\\nnonsense = 1\\n';")
    problem = clients.told("plan", "show", "--athlete", "lifter-1")
    assert "table athletes/lifter-1.toml" in problem
    assert "nonsense" in problem
    wrong = clients.row.replace("HEVY_KEY_1", "OPENAI_API_KEY")
    clients.execute(f"update athletes set profile = $row${wrong}$row$;")
    assert "must have HEVY in its name" in clients.told("plan", "show", "--athlete", "lifter-1")
    (clients.home.athletes / "lifter-1.toml").write_text(clients.row, encoding="utf-8")
    assert "more than once" in clients.told("plan", "show", "--athlete", "lifter-1")


def test_a_table_that_is_gone_takes_nobody_for_gone(clients: Clients) -> None:
    gone = f"postgresql://spotter@127.0.0.1:{free_port()}/clients"
    clients.home.extra["SPOTTER_ATHLETES_DATABASE"] = gone
    for command in (("run",), ("status",)):
        assert f"of {gone} cannot be read" in clients.told(*command)
