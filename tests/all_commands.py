"""The modules that all `spotter` commands import, and those of the definitions."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.once import ROOT, built_once

_FILE = "modules.json"
_PROGRAM = """
import json, sys
from importlib import import_module
from pkgutil import iter_modules
import orchestration.cli.commands as commands
for module in iter_modules(commands.__path__):
    import_module(f"{commands.__name__}.{module.name}")
of_commands = [*sys.modules]
import orchestration.definitions
print(json.dumps([of_commands, [*sys.modules]]))
"""


class Imported(NamedTuple):
    """Names of the modules after the import of all commands, then also of the definitions."""

    by_commands: frozenset[str]
    with_definitions: frozenset[str]


@cache
def imported() -> Imported:
    """Import everything in another process, once for all workers."""

    def run(folder: Path) -> None:
        command = [sys.executable, "-c", _PROGRAM]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        (folder / _FILE).write_text(done.stdout)

    found = json.loads((built_once("imported_modules", run) / _FILE).read_text())
    return Imported(*map(frozenset, found))
