"""Logins of the coach and of each athlete, with a delay and a lockout for wrong passwords."""

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from orchestration.config.durable_files import replace_file
from orchestration.config.settings import Settings, SettingsError
from orchestration.config.values import COACH

_FREE_TRIES = 2  # typing errors are common
_FIRST_DELAY_S = 2.0
_LOCKED_AFTER = 6
LOCKED_S = 15 * 60.0

LOGINS_FILE = "failed_logins.json"
"""File in the home: by name the number of consecutive wrong passwords, and the time of the last."""

# Failures, and seconds since 1970 at the last one.
_Failures = tuple[int, float]
_COUNTS: TypeAdapter[dict[str, _Failures]] = TypeAdapter(dict[str, _Failures])

_LOGIN, _PROOF, _JUDGED = "login", "proof", "judged"


@dataclass(frozen=True)
class Login:
    """The rights of a visitor; `athlete_id` is None for the coach, who sees all athletes."""

    athlete_id: str | None = None

    def may_see(self, athlete_id: str) -> bool:
        """Return whether this athlete's data may be shown, and requests be sent for them."""
        return self.athlete_id in {None, athlete_id}


SEES_ALL = Login()


def delay_s(failures: int) -> float:
    """Return the seconds until the next try is checked, after this many consecutive failures."""
    if failures >= _LOCKED_AFTER:
        return LOCKED_S
    late = failures - _FREE_TRIES
    return _FIRST_DELAY_S * 2 ** (late - 1) if late > 0 else 0.0


class Gate:
    """Password check with one failure count per name, shared by all visitors and addresses.

    A new visitor or a restart does not reset it: the counts are in a file, which only its owner can
    read and which is replaced atomically. All unknown names share one count. Times are seconds
    since 1970.

    Raises:
        SettingsError: the file is damaged; all logins fail until it is removed.
        OSError: the file cannot be read or written; all logins fail.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()

    def wait_s(self, name: str, passwords: Mapping[str, str], now_s: float) -> float:
        """Return the seconds for which no try of this name is checked."""
        failures, failed_at_s = self._read().get(self._key(name, passwords), (0, 0.0))
        # A clock that was set back extends no delay.
        return max(0.0, min(delay_s(failures), failed_at_s + delay_s(failures) - now_s))

    def is_right(
        self, name: str, password: str, passwords: Mapping[str, str], now_s: float
    ) -> bool | None:
        """Return whether the password is that of the name; None during a delay."""
        with self._lock:
            if self.wait_s(name, passwords, now_s) > 0:
                return None
            key = self._key(name, passwords)
            # An unknown name takes as long as a known one.
            expected = passwords.get(name, "")
            is_same = hmac.compare_digest(password.encode(), expected.encode())
            counts = self._read()
            if is_same and expected:
                if counts.pop(key, None) is not None:
                    self._write(counts)
                return True
            failures, failed_at_s = counts.get(key, (0, now_s))
            # Old failures are no attack; an expired lock leaves the free tries.
            is_old = now_s - failed_at_s >= LOCKED_S
            counts[key] = (1 if is_old else failures + 1, now_s)
            self._write(counts)
            return False

    def _read(self) -> dict[str, _Failures]:
        try:
            return _COUNTS.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except ValidationError as error:
            raise SettingsError(f"{self._path} is damaged. Remove it to log in.") from error

    def _write(self, counts: dict[str, _Failures]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._path, _COUNTS.dump_json(counts))

    @staticmethod
    def _key(name: str, passwords: Mapping[str, str]) -> str:
        return name if name in passwords else ""


def ask_for_login(settings: Settings) -> Login | None:
    """Return the login of this visitor; None before it. Without passwords all visitors see all."""
    passwords = {
        **settings.dashboard_logins,
        **({COACH: settings.dashboard_password} if settings.dashboard_password else {}),
    }
    if not passwords:
        return SEES_ALL
    if isinstance(known := st.session_state.get(_LOGIN), Login):
        name = COACH if known.athlete_id is None else known.athlete_id
        if st.session_state.get(_PROOF) == _proof(passwords.get(name, "")):
            return known
        del st.session_state[_LOGIN]  # a session ends with its password
    name = COACH
    if settings.dashboard_logins:
        name = st.text_input("Name", help="Your id as an athlete, or coach.").strip()
    given = st.text_input("Password", type="password")
    if name and given:
        _try(name, given, passwords, _gate(settings.home / LOGINS_FILE))
    return None


def _try(name: str, given: str, passwords: Mapping[str, str], gate: Gate) -> None:
    now_s = time.time()
    # A script also runs again for other reasons: one input counts once.
    if st.session_state.get(_JUDGED) != (name, given):
        verdict = gate.is_right(name, given, passwords, now_s)
        if verdict:
            st.session_state.pop(_JUDGED, None)
            st.session_state[_LOGIN] = Login(None if name == COACH else name)
            st.session_state[_PROOF] = _proof(given)
            st.rerun()
        if verdict is not None:
            st.session_state[_JUDGED] = (name, given)
            st.error("That is not the password.")
            return
    if (wait_s := gate.wait_s(name, passwords, now_s)) > 0:
        st.error(f"Too many wrong passwords. Try again in {wait_s:.0f} s.")
    else:
        st.error("That is not the password.")


def _proof(password: str) -> str:
    """Hash a password; a session stores only the hash."""
    return hashlib.sha256(password.encode()).hexdigest()


def current_login() -> Login:
    """Return the login of this visitor, after `ask_for_login`."""
    known = st.session_state.get(_LOGIN)
    return known if isinstance(known, Login) else SEES_ALL


@st.cache_resource(show_spinner=False)
def _gate(path: Path) -> Gate:
    return Gate(path)
