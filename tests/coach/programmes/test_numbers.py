import ast
from pathlib import Path

from coach_agent.domain.constants.catalogue import constants as rules
from coach_agent.domain.constants.constant import Constant
from coach_agent.programmes import numbers

FOLDER = Path(numbers.__file__).parent


def test_each_number_is_read_and_has_its_own_key() -> None:
    defined = {name: each for name, each in vars(numbers).items() if isinstance(each, Constant)}
    used = {
        node.id
        for path in FOLDER.glob("*.py")
        if path.name != "numbers.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name)
    }
    assert set(defined) <= used
    keys = [each.key for each in (*defined.values(), *rules())]
    assert len(keys) == len(set(keys))
