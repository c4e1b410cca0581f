"""Tools of the MCP server that propose an action. None of them acts: the athlete accepts proposals.

The operator enables each by `SPOTTER_MCP_PROPOSALS`. A confirmation that a client shows for a call
is a preview only.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from coach_agent.asking.wish import Feeling, Wish
from orchestration.server.mcp_tools import reporting

# Repeating a call returns the open proposal, and a proposal alone changes nothing.
_PROPOSE = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

Name = Annotated[str, Field(max_length=100, description="Exercise as in the gym.")]
Minutes = Annotated[int, Field(ge=5, le=600, description="Minutes of a workout.")]
Programme = Annotated[str, Field(max_length=100, description="Programme of the library.")]


class Proposed(BaseModel):
    """A proposal. Tell the athlete how to accept it; nothing is done before."""

    number: int
    text: str
    accept: str
    expires_at: datetime


def add_proposal_tools(
    server: MCPServer[Any], propose: Callable[[Wish], Proposed], kinds: Collection[str]
) -> None:
    """Add the tools of these kinds of wishes."""

    def proposed(**values: Any) -> Proposed:
        try:
            wish = Wish(**values)
        except ValidationError as error:
            raise ToolError("Invalid arguments: see the input schema of the tool.") from error
        with reporting():
            return propose(wish)

    def propose_check_in(
        minutes: Minutes | None = None,
        energy: Feeling | None = None,
        pains: Annotated[
            list[str] | None, Field(max_length=4, description='Such as "left knee:mild".')
        ] = None,
        is_easy: bool = False,
    ) -> Proposed:
        """Propose a check-in for the next workout: minutes, energy, pain, or an easy one."""
        given = {"minutes": minutes, "energy": energy, "pains": tuple(pains or ())}
        return proposed(kind="check_in", is_easy=is_easy, **given)

    def propose_swap(exercise: Name, substitute: Name) -> Proposed:
        """Propose to allow a first substitute for an exercise."""
        return proposed(kind="swap", exercise=exercise, substitute=substitute)

    def propose_approve() -> Proposed:
        """Propose to publish the plan that waits for approval."""
        return proposed(kind="approve")

    def propose_exclude_workout() -> Proposed:
        """Propose to leave the latest workout out of all analysis."""
        return proposed(kind="exclude_workout")

    def propose_accept_sets(exercise: Name) -> Proposed:
        """Propose to accept all doubted sets of an exercise as real."""
        return proposed(kind="accept_sets", exercise=exercise)

    def propose_what_if(
        minutes: Minutes | None = None, programme: Programme | None = None
    ) -> Proposed:
        """Propose to try a programme or another length of workouts on past training."""
        return proposed(kind="what_if", minutes=minutes, programme=programme)

    def propose_programme(programme: Programme) -> Proposed:
        """Propose to follow a published programme from today on."""
        return proposed(kind="programme", programme=programme)

    tools: dict[str, tuple[str, Callable[..., Proposed]]] = {
        "check_in": ("Propose a check-in", propose_check_in),
        "swap": ("Propose a substitute", propose_swap),
        "approve": ("Propose an approval", propose_approve),
        "exclude_workout": ("Propose a correction", propose_exclude_workout),
        "accept_sets": ("Propose to accept sets", propose_accept_sets),
        "what_if": ("Propose a what-if", propose_what_if),
        "programme": ("Propose a programme", propose_programme),
    }
    for kind in tools.keys() & set(kinds):
        title, function = tools[kind]
        server.tool(title=title, annotations=_PROPOSE)(function)
