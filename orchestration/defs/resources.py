"""What assets are handed: the warehouse, and the athletes with their Hevy accounts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import duckdb
from pydantic import Field

from coach_agent.profile import AthleteProfile
from hevy_connector.client import HevyClient
from orchestration.lib.athletes import configured_athletes, hevy_client
from orchestration.lib.settings import load_settings
from orchestration.lib.warehouse import open_warehouse


class WarehouseResource(dg.ConfigurableResource):
    """The warehouse file, opened only while it is needed."""

    path: str = Field(description="Absolute path of the warehouse file.")

    @contextmanager
    def connect(self, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection in UTC that is closed in every case; waits while another holds the file."""
        with open_warehouse(Path(self.path), read_only=read_only) as con:
            yield con

    def prepare(self) -> None:
        """Make sure that the file and the raw and coach tables exist, for others to find."""
        with self.connect():
            pass


class AthletesResource(dg.ConfigurableResource):
    """The configured athletes. Keys are looked up when a client is made and stored nowhere."""

    def profiles(self) -> tuple[AthleteProfile, ...]:
        """All athletes that may be handled with this API, by id."""
        return configured_athletes(load_settings())

    def client(self, athlete: AthleteProfile) -> HevyClient:
        """A client of the athlete's own account."""
        return hevy_client(load_settings(), athlete)
