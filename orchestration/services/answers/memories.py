"""The answer about what the coach has learned about the athlete."""

from orchestration.services.answers.answer import Answer, Draft
from orchestration.services.answers.training import Training
from orchestration.text.measures import day_text
from orchestration.text.memory import confidence_text, evidence_text, statement_text

MEMORIES = "coach.memories"
"""The table of the warehouse with the memories, which are no mart."""


def memories(training: Training) -> Answer:
    """Return the current memories by number, with confidence and evidence."""
    draft = Draft("memories")
    if training.read_memories is None:
        return draft.nothing("Memories are not part of a release. See them with: spotter memory")
    for each in training.read_memories():
        memory, key = each.memory, {"memory_number": each.number, "version": each.version}
        number = draft.fact(str(each.number), MEMORIES, key, "memory_number")
        statement = draft.fact(statement_text(memory), MEMORIES, key, "statement")
        sure = draft.fact(confidence_text(memory, training.today), MEMORIES, key, "confidence")
        line = f"{number}. {statement}: {sure}, {memory.status}"
        if memory.sources:
            line += f" from {draft.fact(evidence_text(memory), MEMORIES, key, 'sources')}"
        last = draft.fact(day_text(memory.last_seen), MEMORIES, key, "last_seen_date")
        draft.line(f"{line}; last {last}.")
    if draft.is_empty:
        return draft.nothing("I have learned nothing about you yet; nightly runs learn.")
    draft.line("Confirm, correct or forget one: spotter memory. No plan depends on them.")
    return draft.answer()
