"""Schema of a model's answer with a plan; its hash is a part of the prompt's version."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from coach_agent.llm.comments.cues import CueCode
from coach_agent.llm.comments.known import Role
from coach_agent.llm.comments.note import ReasonCode

_NO_CODES: Mapping[str, Any] = {"reason": None, "cues": [], "facts": []}


class Answer(BaseModel):
    """A strict part of an answer: no unknown field, no conversion, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _described(text: str) -> ConfigDict:
    """Return a configuration with the description in the schema of the prompt.

    The version of the prompt is a hash of the schema: another text would start the comparisons of
    a shadowed model again.
    """
    return ConfigDict(json_schema_extra={"description": text})


class BlockChoice(Answer):
    """The load, sets and repetitions for a block."""

    model_config = _described("What is chosen for the sets of a block.")

    load: Annotated[float, Field(ge=0, le=2000)] | None = Field(
        description="one of the block's loads, in its unit; null if it has none"
    )
    sets: Annotated[int, Field(ge=1, le=30)] = Field(description="number of working sets")
    reps: list[Annotated[int, Field(ge=0, le=5000)]] = Field(
        description="repetitions, or seconds, of each set in order; empty if the block has none",
        max_length=30,
    )


class SlotChoice(Answer):
    """The exercise, its blocks and the reason for a place of the routine."""

    model_config = _described("What is chosen for a place of the routine.")

    slot: Annotated[int, Field(ge=1, le=200)] = Field(description="number of the slot")
    exercise: str = Field(description="id of the exercise, or of an allowed swap", max_length=60)
    blocks: list[BlockChoice] = Field(description="one for each block", max_length=30)
    reason: ReasonCode | None = Field(description="why it is as it is, one that is true; or null")
    cues: list[CueCode] = Field(description="cues that fit the exercise, at most two", max_length=4)
    facts: list[Role] = Field(description="facts to show beside it, at most two", max_length=4)

    @model_validator(mode="before")
    @classmethod
    def _of_former_versions(cls, data: Any) -> Any:
        """Parse answers of earlier versions, which had a free note, never shown, and no codes."""
        if not isinstance(data, dict):
            return data
        codes = {name: data.get(name, default) for name, default in _NO_CODES.items()}
        return {**{name: value for name, value in data.items() if name != "note"}, **codes}


class PlanAnswer(Answer):
    """The next workout within the windows, and a comment on it."""

    slots: list[SlotChoice] = Field(description="each slot of the windows once", max_length=100)
    order: list[Annotated[int, Field(ge=1, le=200)]] | None = Field(
        description="all slot numbers in the order to train them; null to keep it", max_length=100
    )
    summary: str = Field(description="comment: two sentences to the athlete", max_length=4000)
    adjustments: list[Annotated[str, Field(max_length=2000)]] = Field(
        description="a sentence for each change to the proposal", max_length=20
    )
    reasoning: str = Field(description="why, in at most four sentences", max_length=4000)
