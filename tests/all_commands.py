"""A program that imports the modules of all `spotter` commands."""

IMPORT_COMMANDS = """
from importlib import import_module
from pkgutil import iter_modules
import orchestration.cli.commands as commands
for module in iter_modules(commands.__path__):
    import_module(f"{commands.__name__}.{module.name}")
"""
