import ast
from dataclasses import replace
from pathlib import Path

import coach_agent
from coach_agent.progression import constants

SOURCES = Path(coach_agent.__file__).parent


def test_keys_are_unique() -> None:
    keys = [constant.key for constant in constants.constants()]
    assert len(keys) == len(set(keys)) > 0


def test_each_constant_is_read_by_code() -> None:
    defined = {
        name for name, value in vars(constants).items() if isinstance(value, constants.Constant)
    }
    used = {
        node.id
        for path in SOURCES.rglob("*.py")
        if path.name != "constants.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name)
    }
    assert defined <= used


def test_the_version_of_the_rules_follows_the_constants() -> None:
    first, *others = constants.constants()
    assert constants.version_of([first, *others]) == constants.rule_version()
    assert constants.version_of([replace(first, value=9.0), *others]) != constants.rule_version()
