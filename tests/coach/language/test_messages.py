"""Texts for athletes: each language is complete, and no number differs from the English text."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as fluent
from fluent.syntax.visitor import Visitor

from coach_agent.domain.red_flags import all_red_flags, stop_text
from coach_agent.domain.units import load_text
from coach_agent.language.messages import (
    MessageError,
    break_text,
    catalogue,
    decimals,
    in_language,
    join_words,
    languages,
    languages_of,
    name_of,
    phrase,
    render,
    source_of,
)

ROOT = Path(__file__).parents[3]
TRANSLATIONS = sorted(languages() - {"en"})
SAME = {"subject": "sets", "inner": "sets"}
"""Variables with the content of another one."""


class Variables(Visitor):
    """Collects the variables of a message."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: fluent.VariableReference) -> None:
        self.names.add(node.id.name)


@cache
def variables(language: str) -> dict[str, set[str]]:
    found = {}
    for entry in FluentParser().parse(source_of("coach_agent.language", language)).body:
        assert not isinstance(entry, fluent.Junk | fluent.Term), entry
        if isinstance(entry, fluent.Message):
            used = Variables()
            used.visit(entry)
            assert entry.id.name not in found, f"{entry.id.name} is there twice"
            found[entry.id.name] = used.names
    return found


def test_there_are_english_german_and_spanish() -> None:
    assert {"en", "de", "es"} <= languages()


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_each_language_has_every_message_and_no_other_variable(language: str) -> None:
    english, translated = variables("en"), variables(language)
    assert translated.keys() == english.keys()
    for name, used in translated.items():
        plain = {SAME.get(each, each) for each in used}
        assert plain == {SAME.get(each, each) for each in english[name]}, name


@pytest.mark.parametrize("language", TRANSLATIONS)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_each_message_has_the_numbers_of_the_english_one(language: str, count: int) -> None:
    for name, used in variables("en").items():
        both = used | variables(language)[name]
        plain = sorted({SAME.get(each, each) for each in both})
        values = {each: count + 10 * number for number, each in enumerate(plain)}
        given = {each: values[SAME.get(each, each)] for each in both}
        english, translated = (
            sorted(re.findall(r"\d+", render(each, name, **given))) for each in ("en", language)
        )
        assert translated == english, name


def calls() -> dict[str, list[set[str]]]:
    """Return the variables of each call by message, or by the first letters of computed ones."""
    found = defaultdict(list)
    for source in _sources():
        if "language.messages" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            place = {"phrase": 0, "day_text": 1, "render": 1, "name_of": 0}.get(node.func.id)
            if place is None or len(node.args) <= place:
                continue
            for message in _messages(node.args[place]):
                names = {each.arg for each in node.keywords if each.arg is not None}
                is_open = any(each.arg is None for each in node.keywords)
                key = f"{message}-*" if node.func.id == "name_of" else message
                found[key].append({"*"} if is_open else names)
    return found


def _messages(argument: ast.expr) -> list[str]:
    if isinstance(argument, ast.Constant):
        return [argument.value] if isinstance(argument.value, str) else []
    if isinstance(argument, ast.IfExp):
        return [*_messages(argument.body), *_messages(argument.orelse)]
    if isinstance(argument, ast.JoinedStr) and isinstance(argument.values[0], ast.Constant):
        return [f"{argument.values[0].value}*"]
    return []


def test_each_message_is_used_with_its_variables() -> None:
    known, used = variables("en"), calls()
    everything = {
        name: set().union(*(variables(each)[name] for each in languages())) for name in known
    }
    for name, needed in everything.items():
        for given in used.get(name, []):
            assert given == {"*"} or needed <= given <= needed | {"sets"}, (name, given, needed)
        is_computed = any(key[-1] == "*" and name.startswith(key[:-1]) for key in used)
        is_named = any(f'"{name}"' in source for source in _sources())
        assert name in used or is_computed or is_named, f"{name} is not used"


@cache
def _sources() -> tuple[str, ...]:
    return tuple(
        source.read_text(encoding="utf-8")
        for room in ("coach_agent", "orchestration", "dashboard")
        for source in (ROOT / room).rglob("*.py")
    )


@pytest.mark.parametrize("package", ["coach_agent.language", "coach_agent.llm.comments"])
def test_a_catalogue_has_the_messages_of_the_whole_file(package: str) -> None:
    for language in languages_of(package):
        source = source_of(package, language)
        parsed = FluentParser().parse(source).body
        ids = {each.id.name for each in parsed if isinstance(each, fluent.Message)}
        found = catalogue(package, language)
        assert {each for each in ids if not found.has_message(each)} == set()
        assert not [each for each in parsed if isinstance(each, fluent.Junk)]


def test_an_unknown_message_and_a_missing_variable_are_errors() -> None:
    with pytest.raises(MessageError, match="no-such-message"):
        phrase("no-such-message")
    with pytest.raises(MessageError, match="reps"):
        phrase("effort-reserve")


def test_numbers_have_the_separator_of_the_language() -> None:
    assert load_text(82.5, "kg") == "82.5 kg"
    with in_language("de"):
        assert load_text(82.5, "kg") == "82,5 kg"
        assert decimals("-0.25") == "-0,25"
        assert join_words(["a", "b", "c"]) == "a, b und c"


def test_a_language_without_a_file_is_english() -> None:
    with in_language("xx"):
        assert phrase("taper") == "Taper"
        assert name_of("muscle", "upper_back") == "upper back"
        assert name_of("muscle", "something_new") == "something new"


def test_each_red_flag_has_a_name_in_each_language() -> None:
    for flag in all_red_flags():
        assert render("en", f"red-flag-sign-{flag.code}") == flag.title
        with in_language("de"):
            assert flag.title not in stop_text([flag.code])


WITH_TEXTS = (
    "coach_agent/engine/**/*.py",
    *(
        f"coach_agent/planning/{each}.py"
        for each in ("between_sets", "block_week", "decide", "meet", "weekly_review")
    ),
    *(
        f"orchestration/text/{each}.py"
        for each in ("plan", "readiness", "rejection", "sets", "training_age")
    ),
    "orchestration/services/briefing/brief.py",
    "coach_agent/llm/choices.py",
)
"""Modules with texts for athletes."""
NO_TEXTS = {"variations.py", "set_notation.py"}
"""Titles of exercises, and errors."""
TITLES = {"low bar squat", "bench press (barbell)", "sumo deadlift", "clean and jerk"}


def literals(source: Path) -> list[str]:
    """Return strings of several words, without docstrings, errors and descriptions."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    other: set[int] = set()
    for node in ast.walk(tree):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_description = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Field"
        if isinstance(node, ast.Raise) or is_docstring or is_description:
            other |= {id(each) for each in ast.walk(node)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in other
    ]


def test_texts_for_athletes_are_messages_not_literals() -> None:
    found = [
        (source.name, text)
        for pattern in WITH_TEXTS
        for source in ROOT.glob(pattern)
        if source.name not in NO_TEXTS
        for text in literals(source)
        if re.search(r"[A-Za-z]{2,}[,:]? [a-z]{2,}", text)
        and text not in TITLES
        and not text.lstrip().startswith("select ")
    ]
    assert found == []


@pytest.mark.parametrize(
    ("weeks", "english", "german", "spanish"),
    [
        (2, "2 weeks", "2 Wochen", "2 semanas"),
        (12, "12 weeks", "12 Wochen", "12 semanas"),
        (13, "3 months", "3 Monate", "3 meses"),
        (26, "6 months", "6 Monate", "6 meses"),
        (52, "1 year", "1 Jahr", "1 año"),
        (77, "18 months", "18 Monate", "18 meses"),
        (104, "2 years", "2 Jahre", "2 años"),
        (130, "more than 2 years", "mehr als 2 Jahre", "más de 2 años"),
    ],
)
def test_a_long_break_has_months_or_years(
    weeks: int, english: str, german: str, spanish: str
) -> None:
    """A break of a year and a half was 77 weeks."""
    found = []
    for language in ("en", "de", "es"):
        with in_language(language):
            found.append(break_text(weeks))
    assert found == [english, german, spanish]
