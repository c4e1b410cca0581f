"""Lakes on this machine: a database of a PostgreSQL on loopback for each, and a folder of files."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from orchestration.lib.local_postgres import LocalPostgres

LAKE_FOLDER = "lake"
_CATALOG = "catalog.sql"


@dataclass(frozen=True)
class Lakes:
    """Makes lakes, and takes them from one folder to another."""

    postgres: LocalPostgres

    def new(self, folder: Path) -> dict[str, str]:
        """The variables of a new lake with its files in a folder of `folder`."""
        return {
            "SPOTTER_TARGET": "lake",
            "SPOTTER_LAKE_CATALOG": self.postgres.new_database(f"lake_{uuid4().hex}"),
            "SPOTTER_LAKE_DATA": str(folder / LAKE_FOLDER),
            "PGPASSWORD": self.postgres.password,
        }

    def keep(self, variables: dict[str, str], folder: Path) -> None:
        """Write the catalog of a lake beside its files."""
        (folder / _CATALOG).write_text(self.dump(variables), encoding="utf-8")

    def dump(self, variables: dict[str, str]) -> str:
        """All that the catalog of a lake holds, as SQL."""
        return self._run("pg_dump", "--no-owner", variables["SPOTTER_LAKE_CATALOG"])

    def kept(self, original: Path, folder: Path) -> dict[str, str]:
        """The variables of the lake that was kept in `original`, of which `folder` is a copy."""
        variables = self.new(folder)
        catalog = (folder / _CATALOG).read_text(encoding="utf-8")
        self._run(
            "psql",
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            variables["SPOTTER_LAKE_CATALOG"],
            given=catalog.replace(str(original / LAKE_FOLDER), str(folder / LAKE_FOLDER)),
        )
        return variables

    def _run(self, program: str, *arguments: str, given: str = "") -> str:
        return subprocess.run(
            [self.postgres.programs / program, *arguments],
            env={"PGPASSWORD": self.postgres.password},
            input=given,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
