"""Create the profile of a new athlete."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from coach_agent.profile.model import AthleteProfile, ProfileError, parse_profile


@dataclass(frozen=True)
class NewProfile:
    """Answers about a new athlete. Loads are in `unit`; the default loads are those of a common
    gym.

    `routines` are those that the coach may manage; empty means all.
    """

    athlete_id: str
    name: str | None = None
    timezone: str = "UTC"
    account: str = "hevy"
    api_key_env: str = "HEVY_API_KEY"
    goal: str = "both"
    session_minutes: int | None = None
    unit: str = "kg"
    bar: float | None = None
    plate_pairs: tuple[float, ...] = ()
    dumbbells: tuple[float, ...] = ()
    routines: tuple[str, ...] = ()

    def checked(self, path: Path) -> AthleteProfile:
        """Return the profile that the file at `path` would contain.

        Raises:
            ProfileError: a value is invalid; the message lists the allowed ones.
        """
        return parse_profile(self.text(), path)

    def text(self) -> str:
        """Return the file with short comments; keys are in the environment, never in it."""
        return "\n".join(
            (
                "# docs/profile.md explains every key, and what else there is.",
                "",
                f"id = {_toml(self.athlete_id)}  # the name of this file",
                *([f"name = {_toml(self.name)}"] if self.name else []),
                f"timezone = {_toml(self.timezone)}  # for days and weeks",
                *self._minutes(),
                "",
                "[goal]",
                f'kind = {_toml(self.goal)}  # "strength", "hypertrophy" or "both"',
                "",
                "[coach]",
                "# Routines that may be planned and changed; default: all.",
                *self._routines(),
                "",
                "[equipment]",
                "# Only loads that this equipment allows are prescribed.",
                "# Defaults are those of a common gym.",
                f"unit = {_toml(self.unit)}  # the keys of loads end in it: _kg or _lb",
                *self._loads(),
                "",
                "[hevy]",
                f"account = {_toml(self.account)}  # {self._account()}",
                f"api_key_env = {_toml(self.api_key_env)}  # variable in .env",
                "",
                "[publish]",
                'mode = "preview"  # a plan is only shown; "auto" writes it to the account',
                "",
            )
        )

    def _minutes(self) -> list[str]:
        if self.session_minutes is None:
            return ["# session_minutes = 60  # maximum duration of a workout"]
        return [f"session_minutes = {self.session_minutes}  # maximum duration of a workout"]

    def _routines(self) -> list[str]:
        if not self.routines:
            return ['# routines = ["Upper A", "Lower A"]']
        return ["routines = [", *(f"    {_toml(title)}," for title in self.routines), "]"]

    def _loads(self) -> list[str]:
        loads = {
            "bar": None if self.bar is None else f"{self.bar:g}",
            "plate_pairs": _numbers(self.plate_pairs),
            "dumbbells": _numbers(self.dumbbells),
        }
        return [f"{key}_{self.unit} = {text}" for key, text in loads.items() if text]

    def _account(self) -> str:
        if self.account == "none":
            return 'training comes from files; "hevy" once the key is in .env'
        return '"none": training comes from files'


def write_new(path: Path, new: NewProfile) -> None:
    """Write the profile of a new athlete.

    Raises:
        ProfileError: a value is invalid, or the file exists; nothing was written.
    """
    new.checked(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(new.text())
    except FileExistsError as error:
        raise ProfileError(profile_exists_message(path)) from error


def profile_exists_message(path: Path) -> str:
    """Return the message about an existing profile."""
    return (
        f"There is a profile {path} already, and it stays as it is: edit it, or choose another id "
        "with --athlete."
    )


def system_timezone(environ: Mapping[str, str], root: Path = Path("/")) -> str:
    """Return this machine's time zone by its IANA name; UTC if unknown."""
    told = [environ.get("TZ", "").removeprefix(":")]
    if (named := root / "etc" / "timezone").is_file():
        told.append(named.read_text(encoding="utf-8").strip())
    _, found, zone = str((root / "etc" / "localtime").resolve()).partition("zoneinfo/")
    told.append(zone if found else "")
    return next((name for name in told if name and _is_zone(name)), "UTC")


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _toml(text: str) -> str:
    """Return a TOML string, whose escapes are those of JSON and one more."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _numbers(values: tuple[float, ...]) -> str | None:
    if not values:
        return None
    texts = [f"{value:g}" for value in values]
    line = f"[{', '.join(texts)}]"
    if len(line) <= 80:
        return line
    rows = [", ".join(texts[start : start + 12]) for start in range(0, len(texts), 12)]
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"
