"""Lakes on this machine: catalogs in a PostgreSQL, files in folders or an object store."""

import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from orchestration.storage.local_postgres import LocalPostgres
from tests.s3 import BUCKET, fetch_objects, put_objects

LAKE_FOLDER = "lake"
_CATALOG = "catalog.sql"
_DATA = "{the place of the files}"


@dataclass(frozen=True)
class Lakes:
    """Creates lakes, and copies them between folders.

    `store` are the variables of an S3 API; without them files are in folders.
    """

    postgres: LocalPostgres
    store: dict[str, str] = field(default_factory=dict)

    def new(self, folder: Path) -> dict[str, str]:
        """Return the variables of a new lake, with its files below `folder` or in the store."""
        name = f"lake_{uuid4().hex}"
        return {
            **self.store,
            "SPOTTER_TARGET": "lake",
            "SPOTTER_LAKE_CATALOG": self.postgres.new_database(name),
            "SPOTTER_LAKE_DATA": (
                f"s3://{BUCKET}/{name}" if self.store else str(folder / LAKE_FOLDER)
            ),
            "PGPASSWORD": self.postgres.password,
        }

    def keep(self, variables: dict[str, str], folder: Path) -> None:
        """Write the catalog of a lake into the folder, and its files if they are in the store."""
        data = variables["SPOTTER_LAKE_DATA"]
        catalog = self.dump(variables).replace(data, _DATA)
        (folder / _CATALOG).write_text(catalog, encoding="utf-8")
        if self.store:
            fetch_objects(self.store, data, folder / LAKE_FOLDER)

    def dump(self, variables: dict[str, str]) -> str:
        """Return the catalog of a lake as SQL."""
        return self._run("pg_dump", "--no-owner", variables["SPOTTER_LAKE_CATALOG"])

    def kept(self, folder: Path) -> dict[str, str]:
        """Return the variables of the lake kept in the folder, or in the original of a copy."""
        variables = self.new(folder)
        data = variables["SPOTTER_LAKE_DATA"]
        if self.store:
            put_objects(self.store, folder / LAKE_FOLDER, data)
        catalog = (folder / _CATALOG).read_text(encoding="utf-8")
        self._run(
            "psql",
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            variables["SPOTTER_LAKE_CATALOG"],
            given=catalog.replace(_DATA, data),
        )
        return variables

    def crash(self, variables: dict[str, str]) -> bool:
        """Kill a process of the server, which then ends all others and restarts.

        Returns False if there is no connection.
        """
        query = (
            "select pid from pg_stat_activity "
            "where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1"
        )
        url = variables["SPOTTER_LAKE_CATALOG"]
        found = self._run("psql", "--tuples-only", "--no-align", f"--command={query}", url)
        if found:
            os.kill(int(found), signal.SIGKILL)
        return bool(found)

    def disconnect(self, variables: dict[str, str]) -> int:
        """End the connections to the catalog of a lake, and to no other; return their number."""
        query = (
            "select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )
        url = variables["SPOTTER_LAKE_CATALOG"]
        return int(self._run("psql", "--tuples-only", "--no-align", f"--command={query}", url))

    def _run(self, program: str, *arguments: str, given: str = "") -> str:
        return subprocess.run(
            [self.postgres.programs / program, *arguments],
            env={"PGPASSWORD": self.postgres.password},
            input=given,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
