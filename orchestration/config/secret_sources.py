"""Read keys from a separate file or from a command, in addition to environment and `.env`."""

import shlex
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from orchestration.config.env_file import EnvFileError, read_env_file, variables_in

FILE = "SPOTTER_SECRETS_FILE"
COMMAND = "SPOTTER_SECRETS_COMMAND"
_TIMEOUT_S = 60.0


class SecretsError(Exception):
    """A configured source of keys failed; the message contains none of its content."""


def secrets_of(variables: Mapping[str, str], root: Path) -> dict[str, str]:
    """Return the variables from the configured file and command; the command has precedence.

    Both use the `.env` format. The command runs once per process.

    Raises:
        SecretsError: a source cannot be read.
    """
    found: dict[str, str] = {}
    if name := variables.get(FILE):
        found |= _from_file(root / name)
    if command := variables.get(COMMAND):
        found |= _run_command(command, root)
    return found


def _from_file(path: Path) -> dict[str, str]:
    if not path.is_file():
        raise SecretsError(f"{FILE} is {path}, where no file is.")
    try:
        return read_env_file(path)
    except EnvFileError as error:
        raise SecretsError(str(error)) from None


@cache
def _run_command(command: str, root: Path) -> dict[str, str]:
    run_it = "Run it by hand to see why; it is to print lines as NAME=value."
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own
            shlex.split(command),
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=True,
        )
        return variables_in(done.stdout.decode(), f"What {COMMAND} prints")
    except (OSError, ValueError) as error:
        # The message of a ValueError may contain the command or its output.
        why = (
            error.strerror if isinstance(error, OSError) else "it is no command, or prints no text"
        )
        raise SecretsError(f"{COMMAND} cannot be run: {why}. {run_it}") from None
    except subprocess.CalledProcessError as error:
        raise SecretsError(f"{COMMAND} ended with code {error.returncode}. {run_it}") from None
    except subprocess.TimeoutExpired:
        raise SecretsError(f"{COMMAND} took longer than {_TIMEOUT_S:.0f} s. {run_it}") from None
    except EnvFileError as error:
        raise SecretsError(str(error)) from None
