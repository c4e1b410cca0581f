"""Single keys of a profile are changed; everything else in the file stays unchanged."""

import stat
from pathlib import Path

import pytest

from coach_agent.profile.model import ProfileError
from orchestration.config.locations import CODE_ROOT
from orchestration.config.profile_edits import apply_changes, edit_profile
from orchestration.config.settings import SettingsError

TEXT = """\
# mine
id = "me"  # the name of this file
timezone = "UTC"

[goal]
kind = "both"  # "strength", "hypertrophy" or "both"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "me.toml"
    file.write_text(TEXT)
    return file


def test_a_change_leaves_comments_and_all_else_alone(path: Path) -> None:
    profile = edit_profile(path, ["goal.kind=strength", "session_minutes=60"])
    assert (profile.goal and profile.goal.kind, profile.session_minutes) == ("strength", 60)
    lines = path.read_text().splitlines()
    kept = TEXT.replace('kind = "both"', 'kind = "strength"').split("\n")
    assert {each for each in kept if each} <= set(lines)
    assert lines.index("session_minutes = 60") < lines.index("[goal]")
    edit_profile(path, ["goal.kind=both", "session_minutes="])
    assert path.read_text().split() == TEXT.split()


def test_tables_that_are_not_there_are_made_and_names_may_have_blanks(path: Path) -> None:
    profile = edit_profile(
        path,
        [
            'pain."right knee"=mild',
            "goal.event=Spring meet",
            "goal.date=2027-06-14",
            "publish.mode=approve",
            'exercises."Squat (Barbell)".increment_kg=2.5',
        ],
    )
    assert profile.pain == {"right knee": "mild"}
    assert profile.goal is not None
    assert (profile.goal.event, f"{profile.goal.date}") == ("Spring meet", "2027-06-14")
    assert profile.publish.mode == "approve"
    assert profile.exercises["Squat (Barbell)"].increment_kg == 2.5
    assert not edit_profile(path, ['pain."right knee"=']).pain


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ("goal.kind=fame", ProfileError, "strength"),
        ("session_minutes=7", ProfileError, "15"),
        ("id=other", ProfileError, "id"),
        ("nonsense=1", ProfileError, "nonsense"),
        ("goal.kind", SettingsError, "KEY=VALUE"),
        ("=1", SettingsError, "KEY=VALUE"),
        ("two words=1", SettingsError, "is no key"),
    ],
)
def test_what_cannot_be_used_is_said_and_changes_nothing(
    path: Path, change: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        edit_profile(path, [change])
    assert path.read_text() == TEXT
    assert [each.name for each in path.parent.iterdir()] == ["me.toml"]


def test_the_annotated_profile_of_the_demo_can_be_changed() -> None:
    text = (CODE_ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8")
    changed = apply_changes(text, ["publish.mode=approve"])
    assert changed == text.replace('mode = "auto"', 'mode = "approve"', 1)
    assert apply_changes(changed, ["publish.mode=auto"]) == text


def test_a_folder_that_cannot_be_written_to_is_told(path: Path, tmp_path: Path) -> None:
    if not _is_kept_out(tmp_path):
        pytest.skip("whoever runs this may write everywhere")
    with pytest.raises(SettingsError, match="cannot be written"):
        edit_profile(path, ["session_minutes=60"])


def _is_kept_out(folder: Path) -> bool:
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        (folder / "probe").touch()
    except PermissionError:
        return True
    (folder / "probe").unlink()
    return False
