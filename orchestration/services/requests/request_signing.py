"""Sign and verify athlete requests: other runs of the request job are refused.

The key never leaves the home. The run configuration, which Dagster stores and shows, contains only
the signature: HMAC-SHA256 over the request, its id, the home and the time.
"""

import hmac
import json
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

KEY_FILE = "request.key"
VALID_FOR = timedelta(hours=24)
"""A request may be queued behind a long run; runs are kept longer than this."""

_CLOCK_SKEW = timedelta(minutes=5)
_SPENT = "spent_requests"
_KEY_BYTES = 32


class SignatureError(Exception):
    """A request has a wrong signature, is too old, or was already run."""


@dataclass(frozen=True)
class SignedRequest:
    """Signed parts: the JSON of a request, its id, its home, and its time (Unix s)."""

    request: str
    request_id: str
    home: str
    sent_at_s: int

    def signature(self, key: bytes) -> str:
        """Return the HMAC in hexadecimal; the JSON list separates the parts."""
        parts = [self.request, self.request_id, self.home, self.sent_at_s]
        return hmac.new(key, json.dumps(parts).encode(), sha256).hexdigest()


def check_signature(signed: SignedRequest, signature: str, key: bytes, now: datetime) -> None:
    """Verify the signature and the age of a request.

    Raises:
        SignatureError: it has another signature, or is too old.
    """
    if not hmac.compare_digest(signed.signature(key).encode(), signature.encode()):
        raise SignatureError("It was not sent by the dashboard of this home.")
    age_s = now.timestamp() - signed.sent_at_s
    if not -_CLOCK_SKEW.total_seconds() <= age_s <= VALID_FOR.total_seconds():
        raise SignatureError("It is too old: send it again on the page.")


def mark_spent(home: Path, request_id: str, now: datetime) -> None:
    """Mark a request as spent; deletes marks that no valid request needs.

    Raises:
        SignatureError: it was already run.
    """
    folder = home / _SPENT
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    oldest = (now - VALID_FOR - 2 * _CLOCK_SKEW).timestamp()
    for note in folder.iterdir():
        if note.stat().st_mtime < oldest:
            note.unlink(missing_ok=True)
    note = folder / sha256(request_id.encode()).hexdigest()
    try:
        note.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise SignatureError("It was carried out already.") from None
    os.utime(note, (now.timestamp(), now.timestamp()))


def request_key(home: Path) -> bytes:
    """Return the key of a home, created on first use; only the owner can read it.

    Created atomically: two concurrent processes get the same key.
    """
    path = home / KEY_FILE
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{KEY_FILE}.{os.getpid()}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600, exist_ok=False)
        try:
            draft.write_text(secrets.token_hex(_KEY_BYTES))
            path.hardlink_to(draft)
        except FileExistsError:
            pass  # another process created the key first
        finally:
            draft.unlink()
    return bytes.fromhex(path.read_text())
