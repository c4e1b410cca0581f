"""A local PostgreSQL server on loopback, to try the lake without an operated database."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from orchestration.config.ports import free_port, require_free
from orchestration.config.settings import SettingsError

_USER = "spotter"
# PostgreSQL refuses to run as root, so it then runs as the user of its package.
_INSTEAD_OF_ROOT = "postgres"
# Debian's server folders by version.
DEBIANS_FOLDER = Path("/usr/lib/postgresql")
_POLL_S = 0.1
_USUAL_PORT = 5433
_SERVER = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off")


@dataclass(frozen=True)
class LocalPostgres:
    """A running server: the folder of its programs, its port, and its user's password."""

    programs: Path
    port: int
    password: str = field(repr=False)

    def new_database(self, name: str) -> str:
        """Create a database and return its URL.

        Raises:
            SettingsError: it cannot be created.
        """
        made = subprocess.run(  # noqa: S603 - our own arguments
            [self.programs / "createdb", *_place(self.port), "-U", _USER, name],
            env={"PGPASSWORD": self.password},
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise SettingsError(f"The database cannot be made: {made.stderr.strip()}")
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{name}"


def require_postgres() -> None:
    """Check that a server can run here.

    Raises:
        SettingsError: PostgreSQL is not installed, or there is no user to run it.
    """
    _programs()
    _as_user()


@contextmanager
def running_postgres(port: int = 0) -> Iterator[LocalPostgres]:
    """Yield an empty server, which is deleted with its data afterwards.

    It never syncs to disk, since its data are temporary. `port` 0 selects a free one.

    Raises:
        SettingsError: PostgreSQL is not installed, there is no user to run it, or the port is in
            use.
    """
    programs = _programs()
    as_user = _as_user()
    # The server's user may not read folders of root.
    folder = Path(mkdtemp(prefix="spotter-postgres-", dir="/tmp" if as_user else None))  # noqa: S108
    try:
        port = port or free_port(_USUAL_PORT)
        # Another server on that port would answer the readiness check.
        require_free(port)
        running = LocalPostgres(programs, port, secrets.token_urlsafe(16))
        data = folder / "data"
        password_file = folder / "password"
        password_file.write_text(running.password, encoding="utf-8")
        if as_user:
            for path in (folder, password_file):
                shutil.chown(path, _INSTEAD_OF_ROOT, _INSTEAD_OF_ROOT)
        initdb = [*as_user, str(programs / "initdb"), "--pgdata", str(data), "--username", _USER]
        with_password = ["--auth", "scram-sha-256", "--pwfile", str(password_file)]
        _run([*initdb, *with_password, "--encoding", "UTF8", "--no-sync"])
        options = [word for setting in (f"port={port}", *_SERVER) for word in ("-c", setting)]
        server = [str(programs / "postgres"), "-D", str(data), *options]
        with _server([*as_user, *_stop_with_parent(), *server], running):
            yield running
    finally:
        shutil.rmtree(folder)


@contextmanager
def _server(command: Sequence[str], running: LocalPostgres) -> Iterator[None]:
    with subprocess.Popen(  # noqa: S603 - our own arguments
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    ) as server:
        try:
            ready = [str(running.programs / "pg_isready"), *_place(running.port)]
            while subprocess.run(ready, capture_output=True, check=False).returncode:  # noqa: S603
                if server.poll() is not None:
                    raise SettingsError("PostgreSQL ended as soon as it was started.")
                time.sleep(_POLL_S)
            yield
        finally:
            server.send_signal(signal.SIGINT)  # "fast" shutdown: without waiting for clients


def _place(port: int) -> list[str]:
    return ["-h", "127.0.0.1", "-p", str(port)]


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(  # noqa: S603 - our own arguments
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/"
    )
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines()
        raise SettingsError(f"PostgreSQL cannot be started: {told[-1] if told else 'no reason'}")


def _programs() -> Path:
    """Return the folder of the newest PostgreSQL; Debian's servers are not on the path."""
    on_path = shutil.which("postgres")
    found = [Path(on_path).resolve().parent] if on_path else []
    found += sorted(DEBIANS_FOLDER.glob("*/bin"), key=lambda each: each.parent.name, reverse=True)
    for folder in found:
        if all(
            (folder / name).exists() for name in ("initdb", "postgres", "pg_isready", "createdb")
        ):
            return folder
    raise SettingsError(
        "The lake needs PostgreSQL for its catalog, and no server of it is installed here. Install "
        "one, for example: apt-get install postgresql"
    )


def _as_user() -> list[str]:
    """Return the command prefix that switches to another user, if this process is root."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    users = {user.pw_name: user for user in pwd.getpwall()}
    if setpriv is None or _INSTEAD_OF_ROOT not in users:
        raise SettingsError(
            "PostgreSQL does not run as root, and there is no user 'postgres' to run it as. Try "
            "the lake as another user."
        )
    user = users[_INSTEAD_OF_ROOT]
    return [setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _stop_with_parent() -> list[str]:
    """Return the command prefix that stops a program when this process is killed, if supported."""
    setpriv = shutil.which("setpriv")
    return [] if setpriv is None else [setpriv, "--pdeathsig", "INT"]
