"""Memories in the request for a programme: they choose among allowed exercises, never a load."""

from collections.abc import Collection, Sequence
from datetime import date

from coach_agent.domain.titles import normalize_title
from coach_agent.domain.values import Value
from coach_agent.memory.memories import Memory
from coach_agent.programmes.builder import build
from coach_agent.programmes.catalogue import Catalogue
from coach_agent.programmes.request import BuiltProgramme, ProgrammeRequest
from coach_agent.store.memories import MemoryVersion
from orchestration.text.memory import statement_text

LEAST_CONFIDENCE = 0.65
"""Confidence from which a guessed memory is used; judgement of this project. A confirmed or
corrected one is used until it expires.
"""

_SHORTEST_MIN, _LONGEST_MIN = 15, 180


class UsedMemory(Value):
    """A memory that changed the programme."""

    number: int
    text: str


def build_with_memories(
    request: ProgrammeRequest,
    catalogue: Catalogue,
    versions: Sequence[MemoryVersion],
    today: date,
    fixed: Collection[str],
) -> tuple[BuiltProgramme, tuple[UsedMemory, ...]]:
    """Build the programme with the athlete's memories, and return those that changed it.

    A memory changed it if the programme is another one without it, or with it alone. `fixed` are
    the fields of the request that the athlete gave: no memory changes them.
    """
    usable = [each for each in versions if _is_usable(each.memory, today)]
    built = build(_with(request, usable, fixed), catalogue)
    plain = build(request, catalogue).programme if usable else built.programme
    used = []
    for each in usable:
        others = [other for other in usable if other is not each]
        without = build(_with(request, others, fixed), catalogue).programme
        alone = build(_with(request, [each], fixed), catalogue).programme
        if without != built.programme or alone != plain != built.programme:
            used.append(UsedMemory(number=each.number, text=statement_text(each.memory)))
    return built, tuple(used)


def _is_usable(memory: Memory, today: date) -> bool:
    return memory.status != "guessed" or memory.confidence(today) >= LEAST_CONFIDENCE


def _with(
    request: ProgrammeRequest, versions: Sequence[MemoryVersion], fixed: Collection[str]
) -> ProgrammeRequest:
    for each in versions:
        request = _applied(request, each.memory, fixed)
    return request


def _applied(request: ProgrammeRequest, memory: Memory, fixed: Collection[str]) -> ProgrammeRequest:
    about = memory.statement
    wished = {normalize_title(title) for title in (*request.prefer, *request.avoid)}
    changed: dict[str, object] = {}
    if memory.kind == "for_exercise" and normalize_title(about.title) not in wished:
        changed["liked"] = (*request.liked, about.title)
    is_against = memory.kind in {"against_exercise", "skipped_last"}
    if is_against and normalize_title(about.title) not in wished:
        changed["disliked"] = (*request.disliked, about.title)
    if memory.kind == "training_days" and "days" not in fixed and about.weekdays:
        changed["days"] = len(about.weekdays)
    if memory.kind == "training_minutes" and "minutes" not in fixed and about.minutes:
        changed["minutes"] = min(max(about.minutes, _SHORTEST_MIN), _LONGEST_MIN)
    return request.model_copy(update=changed)
