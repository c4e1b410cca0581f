"""The answer with notes, memories and weekly reviews that a search finds."""

from orchestration.services.answers.answer import Answer, Draft
from orchestration.services.answers.training import Training
from orchestration.services.search.hits import hit_line

_LONGEST_TEXT = 280
"""Characters of a quoted text."""


def texts(training: Training, wanted: str) -> Answer:
    """Return the texts that are nearest to the words, best first, as quotes."""
    draft = Draft("search")
    if training.search_texts is None:
        return draft.nothing(
            'Notes are not part of a release. Search them with: spotter search "…"'
        )
    found = training.search_texts(wanted)
    draft.line("Closest, best first:")
    for hit in found.hits:
        draft.line(draft.fact(hit_line(hit, _LONGEST_TEXT), hit.mart, hit.key, "text"))
    if not found.hits:
        return draft.nothing(f"I find nothing about {wanted} in your notes.")
    return draft.answer()
