"""Cache of compiled Jinja templates: each source is compiled once per project."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestration.dbt.compiled_templates import cached_templates

SOURCE = "{{ 20 + 22 }}"


class Compilations:
    """The number of templates that Jinja compiled."""

    def __init__(self) -> None:
        self.count = 0


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compilations]:
    from dbt_common.clients.jinja import MacroFuzzEnvironment

    counted, generate = Compilations(), MacroFuzzEnvironment._generate

    def count(self: Any, *arguments: Any, **named: Any) -> Any:
        counted.count += 1
        return generate(self, *arguments, **named)

    monkeypatch.setattr(MacroFuzzEnvironment, "_generate", count)
    return counted


def render(source: str, *, native: bool = False) -> Any:
    # dbt takes long to import, and each worker imports the modules of all tests.
    from dbt_common.clients.jinja import get_template, render_template

    return render_template(get_template(source, {}, native=native), {"value": 42})


def test_a_template_is_compiled_once_in_all_processes(
    tmp_path: Path, compilations: Compilations
) -> None:
    for _ in range(2):
        with cached_templates(tmp_path / "templates", "a"):
            assert (render(SOURCE), render(SOURCE)) == ("42", "42")
    assert compilations.count == 1


def test_text_and_values_have_separate_code(tmp_path: Path) -> None:
    for _ in range(2):
        with cached_templates(tmp_path / "templates", "a"):
            assert render("{{ value }}") == "42"
            assert render("{{ value }}", native=True) == 42


def test_another_project_compiles_again_and_keeps_only_its_own(
    tmp_path: Path, compilations: Compilations
) -> None:
    for digest, source in (("a", SOURCE), ("b", "{{ 7 }}"), ("b", SOURCE), ("a", SOURCE)):
        with cached_templates(tmp_path / "templates", digest):
            render(source)
    assert compilations.count == 4


def test_a_damaged_file_is_written_again(tmp_path: Path, compilations: Compilations) -> None:
    file = tmp_path / "templates"
    with cached_templates(file, "a"):
        render(SOURCE)
    sound = file.read_bytes()
    file.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    with cached_templates(file, "a"):
        assert render(SOURCE) == "42"
    assert compilations.count == 2
    assert file.read_bytes() == sound


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    with cached_templates(tmp_path / "missing" / "templates", "a"):
        assert render(SOURCE) == "42"
    assert not (tmp_path / "missing").exists()


def test_a_file_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    with cached_templates(tmp_path / "templates", "a"):
        pass
    assert (tmp_path / "templates").is_dir()


def test_a_failed_build_stores_nothing_and_restores_jinja(
    tmp_path: Path, compilations: Compilations
) -> None:
    from dbt_common.exceptions import CompilationError

    with pytest.raises(CompilationError), cached_templates(tmp_path / "templates", "a"):
        render("{{ 1 // 0 }}")
    assert not (tmp_path / "templates").exists()
    render(SOURCE)
    render(SOURCE)
    assert compilations.count == 3
