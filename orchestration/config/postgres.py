"""Reading a database of PostgreSQL that the operator named."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from orchestration.config.settings import SettingsError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_WITHIN_S = 10
_POLL_S = 0.2
# PostgreSQL's words for a table and for a column that are not there.
_MISSING = {"42P01", "42703"}


class PostgresError(Exception):
    """A database does not answer, or has not what is looked for; the text has no password."""


class PostgresRefusedError(PostgresError):
    """The database answers and does not let this be done, which asking again does not change."""


class PostgresTableMissingError(PostgresRefusedError):
    """The database has no such table or column."""


@contextmanager
def connected(url: str, password: str) -> "Iterator[Connection]":
    """A connection to the database of a URL; without a password as its driver finds one.

    Raises:
        SettingsError: its driver is not installed.
        PostgresTableMissingError: what is read in it is not there.
        PostgresRefusedError: its user may not do this.
        PostgresError: it does not answer, or lets nobody in.
    """
    # It takes a tenth of a second to import, and most homes name no database.
    import sqlalchemy
    import sqlalchemy.exc

    try:
        engine = sqlalchemy.create_engine(
            sqlalchemy_url(url),
            connect_args={
                "connect_timeout": _WITHIN_S,
                "options": "-c timezone=UTC",
                **({"password": password} if password else {}),
            },
        )
    except ImportError as error:
        raise driver_missing() from error
    try:
        with engine.connect() as connection:
            yield connection
    except sqlalchemy.exc.ProgrammingError as error:
        if getattr(error.orig, "pgcode", None) not in _MISSING:
            raise PostgresRefusedError(_first_line(error)) from error
        raise PostgresTableMissingError(_first_line(error)) from error
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise PostgresError(_first_line(error)) from error
    finally:
        engine.dispose()


@contextmanager
def one_at_a_time(url: str, password: str, *, what: str, wait_s: float = 600.0) -> Iterator[None]:
    """Let one process of all machines at a time do in a database what is done inside.

    `what` that is, as "making tables"; who does something else is not waited for.

    Raises:
        SettingsError: its driver is not installed.
        PostgresError: it does not answer, or refuses, also what is done inside; or another one
            took longer than `wait_s` seconds.
    """
    from sqlalchemy import text

    deadline = time.monotonic() + wait_s
    with connected(url, password) as connection:
        # Neither a transaction nor a question stays open: an index that is made concurrently waits
        # for the end of those of others, and whoever waited for the lock would wait for it.
        connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        lock = text("select pg_try_advisory_lock(hashtext('spotter'), hashtext(:what))")
        while not connection.execute(lock, {"what": what}).scalar_one():
            if time.monotonic() >= deadline:
                raise PostgresError(f"another process has been {what} for {wait_s:.0f} s")
            time.sleep(_POLL_S)
        yield


def sqlalchemy_url(url: str) -> str:
    """A database's URL as SQLAlchemy takes it, with the driver that Dagster brings."""
    return url.replace("postgresql://", "postgresql+psycopg2://", 1)


def driver_missing() -> SettingsError:
    """What to say where the wheels of the extra are not installed."""
    return SettingsError(
        "A database of PostgreSQL needs dagster-postgres, which is not installed. "
        "Run: make install, or pip install 'spotter[lake]'"
    )


def _first_line(error: Exception) -> str:
    told = str(error.__cause__ or error).strip().splitlines()
    return told[0] if told else type(error).__name__
