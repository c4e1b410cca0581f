"""Connect to a PostgreSQL database of the operator."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, BinaryIO

from orchestration.config.settings import SettingsError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_WITHIN_S = 10
_POLL_S = 0.2
# PostgreSQL's codes of a missing table and a missing column.
_MISSING = {"42P01", "42703"}
_LOCKED = "55P03"


class PostgresError(Exception):
    """A database does not answer or lacks the requested data; the message has no password."""


class PostgresRefusedError(PostgresError):
    """The database refuses the request; a retry does not help."""


class PostgresLockedError(PostgresError):
    """Another session held a lock for longer than `lock_timeout`."""


class PostgresTableMissingError(PostgresRefusedError):
    """The database has no such table or column."""


@contextmanager
def connect_postgres(url: str, password: str) -> "Iterator[Connection]":
    """Yield a connection to the database of a URL; without a password the driver looks for one.

    Raises:
        SettingsError: the driver is not installed.
        PostgresTableMissingError: a table or column does not exist.
        PostgresRefusedError: the user lacks the rights.
        PostgresLockedError: a lock timed out.
        PostgresError: the database does not answer, or the login failed.
    """
    # The import takes 0.1 s, and most homes use no database.
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
        raise missing_driver_error() from error
    try:
        with engine.connect() as connection:
            yield connection
    except sqlalchemy.exc.ProgrammingError as error:
        if getattr(error.orig, "pgcode", None) not in _MISSING:
            raise PostgresRefusedError(_first_line(error)) from error
        raise PostgresTableMissingError(_first_line(error)) from error
    except sqlalchemy.exc.SQLAlchemyError as error:
        if getattr(getattr(error, "orig", None), "pgcode", None) == _LOCKED:
            raise PostgresLockedError(_first_line(error)) from error
        raise PostgresError(_first_line(error)) from error
    finally:
        engine.dispose()


@contextmanager
def advisory_lock(url: str, password: str, *, what: str, wait_s: float = 600.0) -> Iterator[None]:
    """Hold an advisory lock of a database, shared by all machines.

    `what` names the lock, such as "making tables"; locks of other names are independent.

    Raises:
        SettingsError: the driver is not installed.
        PostgresError: the database does not answer or refuses, also inside the block; or the lock
            timed out after `wait_s` seconds.
    """
    from sqlalchemy import text

    deadline = time.monotonic() + wait_s
    with connect_postgres(url, password) as connection:
        # Autocommit, so no transaction stays open: `create index concurrently` waits for all other
        # transactions, and would deadlock with processes waiting for this lock.
        connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        lock = text("select pg_try_advisory_lock(hashtext('spotter'), hashtext(:what))")
        while not connection.execute(lock, {"what": what}).scalar_one():
            if time.monotonic() >= deadline:
                raise PostgresError(f"another process has been {what} for {wait_s:.0f} s")
            time.sleep(_POLL_S)
        yield


def copy_into(connection: "Connection", statement: str, content: BinaryIO) -> None:
    """Run a statement `copy ... from stdin` in the transaction of a connection.

    Raises:
        PostgresError: the database refuses the rows, or does not answer.
    """
    try:
        with closing(connection.connection.cursor()) as cursor:
            cursor.copy_expert(statement, content)
    except connection.dialect.loaded_dbapi.Error as error:
        raise PostgresError(_first_line(error)) from error


def sqlalchemy_url(url: str) -> str:
    """Return a database URL for SQLAlchemy, with the driver that Dagster installs."""
    return url.replace("postgresql://", "postgresql+psycopg2://", 1)


def missing_driver_error() -> SettingsError:
    """Return the error about a missing driver."""
    return SettingsError(
        "A database of PostgreSQL needs dagster-postgres, which is not installed. "
        "Run: make install, or pip install 'spotter[lake]'"
    )


def _first_line(error: Exception) -> str:
    told = str(error.__cause__ or error).strip().splitlines()
    return told[0] if told else type(error).__name__
