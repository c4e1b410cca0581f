"""Bundled sessions, and those of an operator's files."""

import json
from pathlib import Path

import pytest

from coach_agent.language.messages import in_language, languages
from coach_agent.sessions.catalogue import (
    MUSCLES,
    SessionsError,
    all_sessions,
    bundled_sessions,
)

ROOT = Path(__file__).parents[3]
HEAD = "id,title,kind,minutes,intensity,muscles,link\n"
YOGA = "yoga,Yoga,mobility,20,easy,glutes hamstrings,https://video.example/yoga\n"


def of_file(tmp_path: Path, text: str, name: str = "sessions.csv") -> tuple[str, ...]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return tuple(each.id for each in all_sessions([path]))[len(bundled_sessions()) :]


def test_every_kind_and_every_large_muscle_has_a_bundled_session() -> None:
    sessions = bundled_sessions()
    assert {each.kind for each in sessions} == {"mobility", "recovery", "cardio", "warm_up"}
    assert {each.intensity for each in sessions} == {"easy"}
    warmed = {muscle for each in sessions if each.kind == "warm_up" for muscle in each.muscles}
    assert set(MUSCLES) - warmed == {"abdominals", "forearms", "neck"}


@pytest.mark.parametrize("language", sorted(languages()))
def test_bundled_sessions_have_a_title_in_every_language(language: str) -> None:
    with in_language(language):
        titles = [each.name for each in bundled_sessions()]
    assert len(set(titles)) == len(titles)


def test_missing_files_add_nothing(tmp_path: Path) -> None:
    assert all_sessions([tmp_path / "sessions.csv"]) == bundled_sessions()


def test_a_csv_adds_classes(tmp_path: Path) -> None:
    assert of_file(tmp_path, HEAD + YOGA) == ("yoga",)
    [found] = all_sessions([tmp_path / "sessions.csv"])[len(bundled_sessions()) :]
    assert (found.name, found.minutes, found.muscles, found.link) == (
        *("Yoga", 20, ("glutes", "hamstrings"), "https://video.example/yoga"),
    )


def test_columns_that_are_not_needed_may_be_missing(tmp_path: Path) -> None:
    text = "\ufeffid,title,kind,minutes,intensity\nspin,Spinning,cardio,45,moderate\n"
    assert of_file(tmp_path, text) == ("spin",)


def test_json_adds_classes(tmp_path: Path) -> None:
    row = {"id": "yoga", "title": "Yoga", "kind": "mobility", "minutes": 20, "intensity": "easy"}
    text = json.dumps([{**row, "muscles": ["glutes"]}, {**row, "id": "yin", "link": None}])
    assert of_file(tmp_path, text, "sessions.json") == ("yoga", "yin")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD + YOGA + YOGA, "line 3: the id 'yoga' occurs twice"),
        (HEAD + YOGA.replace("yoga,", "easy-walk,", 1), "the id 'easy-walk' occurs twice"),
        (
            HEAD + YOGA.replace("mobility", "stretching"),
            "line 2: kind 'stretching': must be one of ",
        ),
        (HEAD + YOGA.replace("glutes", "glute"), "Did you mean 'glutes'?"),
        (HEAD + YOGA.replace(",20,", ",0,"), "line 2: minutes '0': "),
        (HEAD + YOGA.replace(",20,", ",soon,"), "line 2: minutes 'soon': "),
        (HEAD + YOGA.replace("Yoga,", ",", 1), "line 2: title missing"),
        (HEAD + YOGA.replace("https:", "javascript:"), "line 2: link "),
        (HEAD.replace("minutes", "minuts") + YOGA, "line 2: unknown field 'minuts'. Did you mean"),
        (HEAD + "yoga,Yoga,mobility,20,easy,glutes,,more\n", "line 2: more cells than columns"),
        (HEAD + 'yoga,"Yo"ga,mobility,20,easy,,\n', "line 2: "),
    ],
)
def test_a_mistake_is_told_with_file_line_and_what_is_allowed(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(SessionsError, match=r"^\S+sessions\.csv, ") as error:
        of_file(tmp_path, text)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[", "line 1: "),
        ("{}", "must be a list of objects"),
        ("[1]", "must be a list of objects"),
        ('[{"id": "a"}]', "entry 1: title, kind, minutes, intensity missing"),
        ('[{"id": "a", "titel": "A"}]', "entry 1: unknown field 'titel'. Did you mean 'title'?"),
    ],
)
def test_a_mistake_in_json_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SessionsError) as error:
        of_file(tmp_path, text, "sessions.json")
    assert told in str(error.value)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "sessions.csv").write_bytes(b"\xff\xfe\x00\x00")
    with pytest.raises(SessionsError, match="cannot be read"):
        all_sessions([tmp_path / "sessions.csv"])


def test_the_page_has_the_number_of_bundled_sessions() -> None:
    page = (ROOT / "docs" / "sessions.md").read_text(encoding="utf-8")
    assert f"brings {len(bundled_sessions())} short sessions" in page
