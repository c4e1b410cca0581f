"""The page `docs/configuration.md`: every variable and every key of a profile, from the code."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coach_agent.profile.model import AthleteProfile
from orchestration.config import settings

_Schema = Mapping[str, Any]

_LONGEST_DEFAULT = 80


def configuration_markdown() -> str:
    """The page, ready to be written."""
    schema = AthleteProfile.model_json_schema()
    variables = [line for line in (settings.__doc__ or "").splitlines() if line.startswith("|")]
    lines = [
        "# Configuration",
        "",
        "Everything that can be set, from `orchestration/config/settings.py` and "
        "`coach_agent/profile/model.py`.",
        "",
        "## Variables",
        "",
        "In the environment or in `.env` beside the project; the environment counts first.",
        "Keys may be kept elsewhere: what neither of them sets is looked for in what",
        "`SPOTTER_SECRETS_COMMAND` prints, then in `SPOTTER_SECRETS_FILE`, both written as `.env`",
        "is. The command is run in the project's folder without a shell, once by each process, and",
        "has a minute; a key that changes is known after a new start.",
        "Relative paths start at the project's folder.",
        "",
        *(" ".join(line.split()) for line in variables),
        "",
        "A profile names the variables that hold its keys: of Hevy, of a language model, and of",
        "addresses. It can name no others: a key of Hevy has HEVY as a word of its name, that of a",
        "language model its provider or LLM_KEY_ and its host, and what addresses hold begins with",
        "NOTIFY_ ([profile.md](profile.md)). `HEVY_API_URL` is https, or on this machine.",
        "",
        "The limits of requests are for one account each, and begin anew with each. All of them",
        "come from your one IP address: with `HEVY_ACCOUNTS` = N up to N times as many, by",
        "default 16 at a time and 20 a second, for moments more a second where accounts have",
        "little to read. Each worker ([scaling.md](scaling.md)) asks as much again. To be",
        "gentle, write `HEVY_ACCOUNTS=1`: accounts are asked one after the other, and with",
        "`HEVY_IN_FLIGHT=1` no two requests are under way at a time; a night takes longer.",
        "Dagster's look for changes between the nights asks eight accounts at a time, whatever",
        "is set ([operations.md](operations.md)).",
        "",
        "## Keys of a profile",
        "",
        "Of `athletes/<id>.toml`. `<title>` stands for a name of yours, `[]` for each of several.",
        "What each means and how they go together: [profile.md](profile.md); of `llm`:",
        "[language-models.md](language-models.md).",
        "",
        "| Key | Value | Default |",
        "| --- | --- | --- |",
        *(
            f"| `{key}` | {_value(kind)} | {_default(kind, key in schema['required'])} |"
            for key, kind in _keys(schema, schema["$defs"], "")
        ),
    ]
    return "\n".join((*lines, ""))


def _keys(table: _Schema, tables: _Schema, prefix: str) -> Iterator[tuple[str, _Schema]]:
    """The keys of a table and of those in it, dotted, with what each may be."""
    for name, kind in table.get("properties", {}).items():
        yield from _key(kind, tables, f"{prefix}{name}")


def _key(kind: _Schema, tables: _Schema, key: str) -> Iterator[tuple[str, _Schema]]:
    if "$ref" in kind:
        yield from _keys(tables[kind["$ref"].rpartition("/")[2]], tables, f"{key}.")
        return
    parts = [(choice, key) for choice in _choices(kind)]
    parts += [(kind["items"], f"{key}[]")] if "items" in kind else []
    named = kind.get("additionalProperties")
    parts += [(named, f"{key}.<title>")] if isinstance(named, dict) else []
    within: dict[str, _Schema] = {}
    for part, name in parts:
        for inner, told in _key(part, tables, name) if "$ref" in str(part) else ():
            within.setdefault(inner, told)
    yield from within.items() if within else ((key, kind),)


def _choices(kind: _Schema) -> Sequence[_Schema]:
    found: Sequence[_Schema] = kind.get("anyOf", kind.get("oneOf", ()))
    return found


def _value(kind: _Schema) -> str:
    """What a key may be, in words."""
    if choices := _choices(kind):
        found = [_value(each) for each in choices if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(found))
    if "enum" in kind:
        return ", ".join(f'"{each}"' for each in kind["enum"])
    if "const" in kind:
        return f'"{kind["const"]}"'
    match kind.get("type"):
        case "array":
            parts = kind.get("prefixItems", [kind.get("items", {})])
            return f"list of {', '.join(_value(each) for each in parts)}"
        case "object":
            inner = kind.get("additionalProperties")
            return f"table of {_value(inner)}" if isinstance(inner, dict) else "table"
        case "integer" | "number":
            name = "whole number" if kind["type"] == "integer" else "number"
            return " ".join(filter(None, (name, _limits(kind))))
        case "boolean":
            return "true or false"
        case "string":
            return {"date": "date"}.get(kind.get("format", ""), "text")
        case _:
            return "value"


def _limits(kind: _Schema) -> str:
    low, high = kind.get("minimum"), kind.get("maximum")
    above, below = kind.get("exclusiveMinimum"), kind.get("exclusiveMaximum")
    words = []
    if above is not None:
        words.append(f"above {above:g}")
    if low is not None:
        words.append(f"from {low:g}")
    if high is not None:
        words.append(f"to {high:g}")
    if below is not None:
        words.append(f"below {below:g}")
    return " ".join(words)


def _default(kind: _Schema, is_required: bool) -> str:
    if is_required:
        return "must be there"
    default = kind.get("default")
    if default in (None, [], {}):
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    text = ", ".join(map(_text, default)) if isinstance(default, list) else _text(default)
    return text if len(text) <= _LONGEST_DEFAULT else f"{text[:_LONGEST_DEFAULT]}…"


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
