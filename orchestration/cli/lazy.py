"""Groups that import a command when it is used; lists of commands need no import."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

_PACKAGE = "orchestration.cli.commands"


def lazy_group(
    places: Mapping[str, tuple[str, str]], removed: Mapping[str, str] | None = None
) -> type[TyperGroup]:
    """Return the class of a group with the commands at `places`, in that order.

    A place is "module:name" of a function or of a Typer app in `orchestration.cli.commands`, and
    the first paragraph of its help text. `removed` maps removed commands to what replaces them.
    """

    class LazyGroup(TyperGroup):
        def __init__(self, **values: Any) -> None:
            super().__init__(**values)
            if self.commands:
                raise TypeError(f"{[*self.commands]} must be in the places of the group")
            self.commands = _Commands({name: place for name, (place, _) in places.items()})

        def list_commands(self, ctx: Any) -> list[str]:
            return [*places]

        def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
            """Return what a list shows of a command; only `resolve_command` gives it itself."""
            if cmd_name not in places:
                return None
            return TyperCommand(cmd_name, help=places[cmd_name][1])

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            if removed and args[0] in removed:
                ctx.fail(f"'{args[0]}' was removed. {removed[args[0]]}")
            name, _, rest = super().resolve_command(ctx, args)
            return name, None if name is None else self.commands[name], rest

    return LazyGroup


class _Commands(MutableMapping[str, Any]):
    """Commands by name, imported on access; none can be added or removed."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self._loaded:
            self._loaded[name] = _load(name, self._places[name])
        found: TyperCommand | TyperGroup = self._loaded[name]
        return found

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError(f"{name} must be in the places of the group")

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"{name} cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _load(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"{_PACKAGE}.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command: Any = get_group(found)
        command.name = name
        return command
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return get_command(alone)
