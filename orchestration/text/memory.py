"""Wording of memories for lifters, shared by terminal, answers and the MCP server."""

from coach_agent.language.messages import join_words
from coach_agent.memory.memories import Memory, Role, Statement

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_COUNTED = {
    "against_exercise": "swap",
    "for_exercise": "swap",
    "injury_pattern": "check-in",
    "skipped_last": "skip",
    "training_days": "workout",
    "training_hour": "workout",
    "training_minutes": "workout",
    "unused_reserve": "set",
}


def statement_text(memory: Memory) -> str:
    """Return the statement as a sentence without its period."""
    about: Statement = memory.statement
    match memory.kind:
        case "against_exercise":
            return f"You keep swapping {about.title} for something else"
        case "for_exercise":
            return f"You keep choosing {about.title} over what is planned"
        case "injury_pattern":
            before = f"; before each time you had done {join_words(about.before)}"
            hurts = f"The pain in your {about.title} keeps coming back"
            return hurts + before if about.before else hurts
        case "skipped_last":
            return f"You always skip {about.title} at the end of a workout"
        case "training_days":
            return f"You train on {join_words([WEEKDAYS[each] for each in about.weekdays])}"
        case "training_hour":
            return f"You start at about {clock_text(about.start_minute or 0)}"
        case "training_minutes":
            unit = "minute" if about.minutes == 1 else "minutes"
            return f"Your workouts take about {about.minutes} {unit}"
        case "unused_reserve":
            return f"On open sets of {about.title} you stop at the minimum with reps left"


def clock_text(minute: int) -> str:
    """Format minutes after midnight: `18:30`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def confidence_text(confidence: float) -> str:
    """Format a confidence from 0 to 1: `80 % sure`."""
    return f"{confidence:.0%}".replace("%", " % sure")


def evidence_text(memory: Memory) -> str:
    """Return the number and kind of the rows for and against: `4 swaps, 1 against`."""
    supporting = _count(memory, "supports")
    word = _COUNTED[memory.kind]
    text = f"{supporting} {word}" if supporting == 1 else f"{supporting} {word}s"
    opposing = _count(memory, "opposes")
    return f"{text}, {opposing} against" if opposing else text


def _count(memory: Memory, role: Role) -> int:
    return sum(each.role == role for each in memory.sources)
