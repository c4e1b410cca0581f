"""Back-off sets: they follow the load of the top set before them."""

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory, ReasonCode
from coach_agent.engine.models.double_progression import done_again
from coach_agent.engine.models.moves import load_to_repeat, repeat, step_up
from coach_agent.engine.models.rep_targets import next_rep_targets
from coach_agent.language.messages import phrase


def backoff(
    history: BlockHistory, low: int, high: int, ladder: Ladder, top_kg: float, factor: float
) -> BlockDecision:
    """Return the top set's next load times `factor`, rounded down; no more if own sets failed.

    A rise starts at the lower end of the range and is bounded like every step. At the same load
    repetitions grow by `next_rep_targets`.

    Source: training-science, practitioners' opinion: 100 kg for the top set, 90 for back-offs.
    """
    last = history.last
    climbed = next_rep_targets(history.attempts, low, high)
    goals = done_again(last, low, high) if history.is_above_cap else climbed.goals
    stay = history.reason_to_stay()
    if missed := history.places(lambda answer: answer.reps is not None and answer.reps < low):
        sets = history.names.some(missed)
        stay = phrase("what-missed", reps=count_reps(low), sets=sets), "missed_reps"
    load = ladder.within_cap(top_kg * factor, last.load)
    if stay:
        load = min(load, ladder.existing(load_to_repeat(last, ladder)))
    what = phrase("what-reached", sets=history.whole, reps=count_reps(low))
    if load > last.load + LOAD_TOLERANCE.value:
        bottom = (low,) * len(goals)
        return step_up(history, ladder, what, bottom, goals, "follows_top_set", wanted=load)
    codes: list[ReasonCode] = [stay[1]] if stay else []
    if load < last.load - LOAD_TOLERANCE.value:
        what = stay[0] if stay else what
        share = f"{100 * factor:.0f}"
        reason = phrase("reason-share-of-top", what=what, share=share, load=ladder.text(load))
        codes.append("follows_top_set")
        return BlockDecision("down", history.codes(*codes), reason, load=load, reps=goals)
    if stay or not climbed.raised:
        reached = phrase("what-reached", sets=history.whole, reps=count_reps(high))
        what = stay[0] if stay else reached
        codes = codes or ["follows_top_set"]
        then = "" if stay else phrase("then-until-heavier")
        return repeat(history, ladder, load, goals, what, *codes, then=then)
    more = climbed.text(history.names)
    what = phrase("reason-again-more", what=what, load=ladder.text(load), more=more)
    return BlockDecision("up", history.codes("add_reps"), what, load=load, reps=goals)
