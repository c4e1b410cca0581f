"""The answer of a model to a question in words: which lines of tools answer it.

No word and no number of it is shown. A claim selects lines that tools returned in the same
conversation, and code shows those.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from coach_agent.asking.wish import Wish
from coach_agent.domain.model_calls import Prompt, ReadTool, TypedCall
from coach_agent.llm.answer_schema import Answer
from coach_agent.llm.cited import claim_problem
from coach_agent.llm.comments.comment import RejectedText
from coach_agent.llm.prompting import data_block, instructions, prompt_version, untrusted

MOST_TOOL_CALLS = 8
"""Tool calls of one question: two or three exercises from every side."""

_MOST_CLAIMS = 10
_LONGEST_CLAIM = 400


class Claim(Answer):
    """A statement of a model with the lines that prove it."""

    says: Annotated[str, Field(max_length=_LONGEST_CLAIM)] = Field(
        description="one English sentence about the lines; used for checks only"
    )
    lines: list[int] = Field(
        description="the numbers of one to six lines that prove it", min_length=1, max_length=6
    )


class AskAnswer(Answer):
    """A model's answer to a question about training."""

    claims: list[Claim] = Field(
        description="in the order to show; empty if the tools have no answer",
        max_length=_MOST_CLAIMS,
    )
    is_complete: bool = Field(description="false if a part of the question has no data")
    wishes: list[Wish] = Field(
        default=[],
        description="actions that the question itself asks for; the athlete decides on each",
        max_length=2,
    )


@dataclass(frozen=True)
class Proven:
    """The accepted lines in the order of the answer, and the rejected claims."""

    lines: tuple[int, ...]
    rejected: tuple[RejectedText, ...]


def proven_claims(answer: AskAnswer, lines: Mapping[int, str], titles: Collection[str]) -> Proven:
    """Return the lines of the claims that agree with them.

    `lines` are those that tools returned in this conversation, `titles` all exercises.
    """
    kept: list[int] = []
    rejected = []
    for claim in answer.claims:
        if any(each not in lines for each in claim.lines):
            rejected.append(RejectedText("claims", "fact", claim.says))
            continue
        cited = "\n".join(lines[each] for each in claim.lines)
        problem = claim_problem(claim.says, cited, titles)
        if problem is None:
            kept += claim.lines
        else:
            rejected.append(RejectedText("claims", problem, claim.says))
    return Proven(tuple(dict.fromkeys(kept)), tuple(rejected))


def ask_call(
    question: str,
    tools: Sequence[ReadTool],
    read_lines: Callable[[], Mapping[int, str]],
    titles: Collection[str],
) -> TypedCall[AskAnswer]:
    """Build the call. `read_lines` returns the lines that its tools have returned so far."""

    def check(answer: AskAnswer) -> tuple[str, ...]:
        proven = proven_claims(answer, read_lines(), titles)
        if proven.lines or not answer.claims or answer.wishes:
            return ()
        return tuple(
            f"claims[{at}]: given a claim that its lines do not prove ({each.reason}); allowed: "
            "numbers of lines that a tool returned, and a sentence that repeats them."
            for at, each in enumerate(proven.rejected)
        )

    return TypedCall(
        name="ask",
        tier="cheap",
        prompt=Prompt(
            static=instructions("ask"),
            profile="",
            recent=f"{data_block('question', untrusted(question, 500))}\nAnswer now.",
        ),
        output=AskAnswer,
        check=check,
        prompt_version=prompt_version("ask", AskAnswer),
        tools=tuple(tools),
        most_tool_calls=MOST_TOOL_CALLS,
    )
