"""Where keys may be kept beside the environment and `.env`: a file of their own, or a command."""

import shlex
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from orchestration.config.env_file import EnvFileError, read_env_file, variables_in

FILE = "SPOTTER_SECRETS_FILE"
COMMAND = "SPOTTER_SECRETS_COMMAND"
_PATIENCE_S = 60.0


class SecretsError(Exception):
    """A place of keys is named and gives none; the text repeats nothing of what it holds."""


def secrets_of(variables: Mapping[str, str], root: Path) -> dict[str, str]:
    """What the file and the command set that these variables name; the command counts first.

    Both are written as `.env` is. A process asks the command once.

    Raises:
        SecretsError: one of them cannot be read.
    """
    found: dict[str, str] = {}
    if name := variables.get(FILE):
        found |= _from_file(root / name)
    if command := variables.get(COMMAND):
        found |= _told_by(command, root)
    return found


def _from_file(path: Path) -> dict[str, str]:
    if not path.is_file():
        raise SecretsError(f"{FILE} is {path}, where no file is.")
    try:
        return read_env_file(path)
    except EnvFileError as error:
        raise SecretsError(str(error)) from None


@cache
def _told_by(command: str, root: Path) -> dict[str, str]:
    run_it = "Run it by hand to see why; it is to print lines as NAME=value."
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own
            shlex.split(command),
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            check=True,
        )
        return variables_in(done.stdout.decode(), f"What {COMMAND} prints")
    except (OSError, ValueError) as error:
        # Of a ValueError the text may be that of the command, or of what it printed.
        why = (
            error.strerror if isinstance(error, OSError) else "it is no command, or prints no text"
        )
        raise SecretsError(f"{COMMAND} cannot be run: {why}. {run_it}") from None
    except subprocess.CalledProcessError as error:
        raise SecretsError(f"{COMMAND} ended with code {error.returncode}. {run_it}") from None
    except subprocess.TimeoutExpired:
        raise SecretsError(f"{COMMAND} took longer than {_PATIENCE_S:.0f} s. {run_it}") from None
    except EnvFileError as error:
        raise SecretsError(str(error)) from None
