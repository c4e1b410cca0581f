"""The answer about what the coach has learned about the athlete."""

from coach_agent.store.memories import stored_confidence
from orchestration.services.answers.answer import Answer, Draft
from orchestration.services.answers.training import Training
from orchestration.text.measures import day_text
from orchestration.text.memory import confidence_text, evidence_text, statement_text

MEMORIES = "coach.memories"
"""The table of the warehouse with the memories, which are no mart."""


def memories(training: Training) -> Answer:
    """Return the current memories by number, with evidence and the confidence on its newest day."""
    draft = Draft("memories")
    if training.read_memories is None:
        return draft.nothing("Memories are not part of a release. See them with: spotter memory")
    for each in training.read_memories():
        memory, key = each.memory, {"memory_number": each.number, "version": each.version}
        number = draft.fact(str(each.number), MEMORIES, key, "memory_number")
        statement = draft.fact(statement_text(memory), MEMORIES, key, "statement")
        sure = draft.fact(confidence_text(stored_confidence(memory)), MEMORIES, key, "confidence")
        last = draft.fact(day_text(memory.last_seen), MEMORIES, key, "last_seen_date")
        as_of = day_text(memory.as_of)
        if as_of != last:
            draft.fact(as_of, MEMORIES, key, "sources")
        line = f"{number}. {statement}: {sure} on {as_of}, {memory.status}"
        if memory.sources:
            line += f" from {draft.fact(evidence_text(memory), MEMORIES, key, 'sources')}"
        draft.line(f"{line}." if as_of == last else f"{line}; last {last}.")
    if draft.is_empty:
        return draft.nothing("I have learned nothing about you yet; nightly runs learn.")
    draft.line("Confirm, correct or forget one: spotter memory. No plan depends on them.")
    return draft.answer()
