"""Text about rejected plans: the latest rejection and its effect on the active plan."""

from datetime import UTC, datetime

from coach_agent.domain.days import local_date
from coach_agent.journal.current_plans import JournaledPlan, PlanReport
from coach_agent.language.messages import day_text, phrase
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.rejections import PastRejection

Standing = JournaledPlan | PlanReport
"""The active plan, from the journal or from a release."""

_NEVER = datetime.min.replace(tzinfo=UTC)


def rejection_text(journaled: Standing, profile: AthleteProfile) -> str:
    """Return a text on the latest rejection of the routine's plans; empty without one.

    It ends once the routine was trained, unless the same sets are planned again.
    """
    if not journaled.rejections:
        return ""
    latest = journaled.rejections[0]
    again = next((each for each in journaled.rejections if each.is_same), None)
    if again is not None:
        return _same_again(again, journaled, profile)
    trained = max((slot.last_done_at or _NEVER for slot in journaled.plan.slots), default=_NEVER)
    if trained > latest.rejected_at:
        return ""
    told = phrase("rejected-before", **_when_and_why(latest, profile))
    if model := _informed_model(latest, journaled, profile):
        return f"{told} {phrase('rejected-model-knew', model=model)}"
    return f"{told} {phrase('rejected-newer')} {phrase('rejected-how-to')}"


def _same_again(again: PastRejection, journaled: Standing, profile: AthleteProfile) -> str:
    told = _when_and_why(again, profile)
    if again.plan_id == journaled.plan_id:
        return f"{phrase('rejected-nothing-new', **told)} {phrase('rejected-how-to')}"
    if model := _informed_model(again, journaled, profile):
        return f"{phrase('rejected-same', **told)} {phrase('rejected-model-stays', model=model)}"
    same = phrase("rejected-same", **told)
    return f"{same} {phrase('rejected-again')} {phrase('rejected-how-to')}"


def _informed_model(
    rejection: PastRejection, journaled: Standing, profile: AthleteProfile
) -> str | None:
    """Return the language model that chose the plan with the rejection in its prompt."""
    words = journaled.plan.words
    is_told = journaled.decided_at > rejection.rejected_at and "notes" not in profile.llm.leave_out
    return words.decided_by if words is not None and is_told else None


def _when_and_why(rejection: PastRejection, profile: AthleteProfile) -> dict[str, str]:
    day = local_date(rejection.rejected_at, profile.timezone)
    reason = " ".join(rejection.because.split())
    return {"day": day_text(day, "weekday-and-day"), "reason": reason}
