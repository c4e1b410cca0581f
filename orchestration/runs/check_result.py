"""What the doctor says of one thing that it looked at."""

from typing import Literal

from pydantic import BaseModel

State = Literal["ok", "look", "mend"]


class Finding(BaseModel):
    """What was looked at and how it is; `mend` is what to do unless it is "ok".

    "mend" keeps a night from going well, "look" does not.
    """

    name: str
    state: State
    text: str
    mend: str | None = None
