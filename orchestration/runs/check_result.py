"""The result of one check of the doctor."""

from typing import Literal

from pydantic import BaseModel

State = Literal["ok", "look", "mend"]


class CheckResult(BaseModel):
    """A check's subject and state; `mend` is the fix unless the state is "ok".

    "mend" is a failure that breaks nightly runs, "look" a warning.
    """

    name: str
    state: State
    text: str
    mend: str | None = None
