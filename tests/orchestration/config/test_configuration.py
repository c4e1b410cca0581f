"""The generated page of all settings agrees with the code."""

import re
import tomllib

from orchestration.config.documentation import configuration_markdown
from orchestration.config.locations import CODE_ROOT

PAGE = CODE_ROOT / "docs" / "configuration.md"


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == configuration_markdown(), (
        "write configuration_markdown() of orchestration/config/documentation.py to the page"
    )


def test_every_variable_that_is_read_is_named() -> None:
    source = (CODE_ROOT / "orchestration" / "config" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r'"((?:SPOTTER|HEVY)_[A-Z_]+)"', source))
    assert read
    assert read <= set(re.findall(r"^\| `([A-Z_]+)`", configuration_markdown(), flags=re.M))


def test_the_keys_of_a_real_profile_are_named() -> None:
    known = set(re.findall(r"^\| `([a-z_.<>\[\]]+)`", configuration_markdown(), flags=re.M))
    profile = tomllib.loads((CODE_ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8"))
    assert profile["equipment"]
    for key, value in profile.items():
        assert any(each == key or each.startswith((f"{key}.", f"{key}[")) for each in known), key
        if isinstance(value, dict) and not any(each.startswith(f"{key}.<") for each in known):
            assert {f"{key}.{inner}" for inner in value} <= known
