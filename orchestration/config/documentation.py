"""Generate `docs/configuration.md`: every variable and profile key, from the code."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coach_agent.profile.model import AthleteProfile
from orchestration.config import settings

_Schema = Mapping[str, Any]

_LONGEST_DEFAULT = 80


def configuration_markdown() -> str:
    """Return the page as Markdown."""
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
        "Set them in the environment or in `.env`; the environment has precedence. `.env`,",
        "profiles and data are in the project folder of a checkout, else in the data folder of the",
        "user (on Linux `~/.local/share/spotter`). `SPOTTER_HOME` in the environment moves all of",
        "it. Variables missing there are read from the output of",
        "`SPOTTER_SECRETS_COMMAND`, then from `SPOTTER_SECRETS_FILE`, both in `.env` format. The",
        "command runs in the project folder without a shell, once per process, with a timeout of",
        "one minute; a changed key takes effect after a restart.",
        "Relative paths start at that folder. The default is after the semicolon.",
        "",
        *(" ".join(line.split()) for line in variables),
        "",
        "A profile names the variables with its keys: of Hevy, of a language model, and of",
        "addresses. Only certain names are allowed: a key of Hevy has HEVY as a word of its name,",
        "that of a language model its provider or LLM_KEY_ and its host, and variables of",
        "addresses start with NOTIFY_ ([profile.md](profile.md)). `HEVY_API_URL` is https, or on",
        "this machine.",
        "",
        "Request limits apply per account. All requests come from one IP address: with",
        "`HEVY_ACCOUNTS` = N up to N times as many, by default 16 concurrent requests and 20 per",
        "second, briefly more for accounts with few records. Each worker",
        "([scaling.md](scaling.md)) has the same limits again. To reduce the load, set",
        "`HEVY_ACCOUNTS=1`: accounts are used sequentially, and with `HEVY_IN_FLIGHT=1` requests",
        "are never concurrent; a nightly run takes longer. Dagster's polling for changes between",
        "nightly runs always reads eight accounts concurrently",
        "([operations.md](operations.md)).",
        "",
        "## Keys of a profile",
        "",
        "In `athletes/<id>.toml`. `<title>` is a name of your choice, `[]` an item of a list.",
        "[profile.md](profile.md) explains them, [language-models.md](language-models.md) those of",
        "`llm`.",
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
    """Yield the dotted keys of a table and its subtables with their schemas."""
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
    """Describe the allowed values of a key."""
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
