"""The result of one check of the doctor."""

from typing import Literal

from pydantic import BaseModel

State = Literal["ok", "warn", "fail"]


class CheckResult(BaseModel):
    """A check's subject and state; `fix` is set unless the state is "ok".

    "fail" breaks nightly runs, "warn" does not.
    """

    name: str
    state: State
    text: str
    fix: str | None = None
