"""Read tools of a model that answers a question: the functions of the MCP tools.

Each result is an answer of the rules, split into numbered lines. An indented line belongs to the
line above it that is not indented. SQL is no tool here: a query can return any number.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coach_agent.domain.model_calls import ReadTool
from coach_agent.domain.recovery import RECOVERY_RULE
from coach_agent.llm.prompting import data_block
from coach_agent.profile.llm_settings import AskRead, LeftOut
from orchestration.services.answers.answer import Answer, Fact, Reference
from orchestration.services.answers.found_texts import texts
from orchestration.services.answers.last_time import last_time
from orchestration.services.answers.lifts import progress, records, strength
from orchestration.services.answers.memories import memories
from orchestration.services.answers.named import NotNamedError, exercise_of, muscles_of
from orchestration.services.answers.plans import next_workout, published, why
from orchestration.services.answers.recorded_data import body_weight, doubts
from orchestration.services.answers.training import Exercise, Training
from orchestration.services.answers.weeks import Week, consistency, volume
from orchestration.services.releases.own_marts import (
    Documented,
    documented_columns,
    documented_marts,
)
from orchestration.services.search.search import LONGEST_QUERY

_MOST_LINES = 25
"""Lines of one result; a tool call with an exercise has the others."""

_LONGEST_LINE = 400
_MOST_DOCUMENTED = 8
# Titles that the athlete chose, which `leave_out` of names keeps from a model.
_NAMES = frozenset({"title", "routine_title"})


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


Name = Annotated[str, Field(max_length=100, description="Exercise as in the gym.")]
Muscle = Annotated[str, Field(max_length=50, description="For example chest or legs.")]


class _Exercise(_Arguments):
    exercise: Name | None = None


class _OneExercise(_Arguments):
    exercise: Name


class _Records(_Exercise):
    reps: int | None = Field(default=None, ge=1, le=50)


class _Last(_Exercise):
    muscle: Muscle | None = None


class _Week(_Arguments):
    week: Week | None = None


class _Volume(_Last, _Week):
    pass


class _Words(_Arguments):
    words: str = Field(min_length=1, max_length=LONGEST_QUERY)


@dataclass(frozen=True)
class _Asked:
    """The arguments of a call, resolved to the athlete's exercises and muscles."""

    exercise: Exercise | None = None
    muscles: tuple[str, ...] = ()
    reps: int | None = None
    week: Week | None = None
    words: str = ""

    @property
    def subject(self) -> str:
        """Return the subject for a title."""
        if self.exercise is not None:
            return f", {self.exercise.title}"
        return f", {', '.join(self.muscles)}" if self.muscles else ""


@dataclass(frozen=True)
class _Kind:
    name: str
    title: str
    description: str
    arguments: type[_Arguments]
    answer: Callable[[Training, _Asked], Answer]
    reads: frozenset[LeftOut] = frozenset()
    needs: frozenset[AskRead] = frozenset()
    has_recovery: bool = False


@dataclass(frozen=True)
class Line:
    """A line of a result. `parent` is the line above that an indented one belongs to."""

    number: int
    text: str
    facts: tuple[Fact, ...]
    parent: int | None = None


@dataclass(frozen=True)
class Result:
    """The result of a call: its title by code and its lines."""

    title: str
    lines: tuple[Line, ...]

    def shown_with(self, numbers: Collection[int]) -> tuple[Line, ...]:
        """Return the lines of these numbers, and those without which they could be misread.

        These are the first line, the parents, and all children of a heading.
        """
        chosen = {each.number for each in self.lines if each.number in numbers}
        if not chosen:
            return ()
        headings = {each.number for each in self.lines if each.text.rstrip().endswith(":")}
        parents = {each.parent for each in self.lines if each.number in chosen}
        return tuple(
            each
            for each in self.lines
            if each.number in {self.lines[0].number, *chosen, *parents}
            or (each.parent in chosen and each.parent in headings)
        )


@dataclass
class Conversation:
    """The tools of one question, and all lines that they have returned. Thread-safe.

    Tools that read something of `leave_out` are missing, and those of health data and of the
    athlete's words that `ask_reads` does not name. `was_called`: a tool has returned any text.
    """

    training: Training
    leave_out: frozenset[LeftOut] = frozenset()
    ask_reads: frozenset[AskRead] = frozenset()
    results: list[Result] = field(default_factory=list)
    was_called: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def tools(self) -> tuple[ReadTool, ...]:
        """Return the tools."""
        return tuple(
            ReadTool(
                kind.name,
                kind.description,
                kind.arguments.model_json_schema(),
                lambda arguments, kind=kind: self._call(kind, arguments),  # type: ignore[misc]
            )
            for kind in _KINDS
            if not kind.reads & self.leave_out and self._needs(kind) <= self.ask_reads
        )

    def _needs(self, kind: _Kind) -> frozenset[AskRead]:
        """Return what a profile must permit for a tool."""
        if kind.has_recovery and self._may_have_recovery():
            return kind.needs | {"body"}
        return kind.needs

    def _may_have_recovery(self) -> bool:
        """Return whether reasons may name signals of recovery, also after it was turned off."""
        profile, report = self.training.profile, self.training.plan
        if profile is None or profile.recovery.is_adjusting:
            return True
        slots = () if report is None else report.plan.slots
        return any(each.rule == RECOVERY_RULE for slot in slots for each in slot.adjustments)

    @property
    def lines(self) -> dict[int, str]:
        """Return each line with its title, as a claim can cite it."""
        return {
            line.number: "\n".join(
                [result.title, *(each.text for each in result.shown_with({line.number}))]
            )
            for result in list(self.results)
            for line in result.lines
        }

    def _call(self, kind: _Kind, arguments: Mapping[str, Any]) -> str:
        with self._lock:
            self.was_called = True
            try:
                given = kind.arguments.model_validate(dict(arguments))
                asked = _asked(self.training, given)
            except ValidationError as error:
                places = "; ".join(
                    f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
                )
                return data_block("error", f"Invalid arguments: {places}")
            except NotNamedError as error:
                return data_block("error", str(error))
            answer = kind.answer(self.training, asked)
            if not answer.is_found:
                return data_block("nothing", self._without_names(answer.text, answer))
            count = sum(len(each.lines) for each in self.results)
            lines = tuple(_lines(answer, count + 1))
            result = Result(f"{kind.title}{asked.subject}", lines)
            self.results.append(result)
            return data_block("result", self._shown(result, answer))

    def _shown(self, result: Result, answer: Answer) -> dict[str, Any]:
        def text(line: Line) -> str:
            shown = self._without_names(line.text, answer)
            return shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]} …"

        return {
            "title": result.title,
            "lines": {str(line.number): text(line) for line in result.lines},
        }

    def _without_names(self, text: str, answer: Answer) -> str:
        if "names" in self.leave_out:
            for fact in answer.facts:
                if fact.source.column in _NAMES and fact.shown:
                    text = text.replace(fact.shown, "(a name)")
        return text


def shown_lines(results: Sequence[Result], numbers: Sequence[int]) -> tuple[str, tuple[Fact, ...]]:
    """Return the text of the lines of these numbers with their facts.

    They are grouped by result, in the order of the first number of each, below its title.
    """
    place = {number: at for at, number in enumerate(numbers)}
    found: list[tuple[int, str, tuple[Line, ...]]] = []
    for result in results:
        own = result.shown_with(place)
        if own:
            first = min(place[each.number] for each in own if each.number in place)
            found.append((first, result.title, own))
    texts: list[str] = []
    facts: list[Fact] = []
    for _, title, lines in sorted(found):
        texts += [f"{title}:", *(f"  {line.text}" for line in lines)]
        facts += [fact for line in lines for fact in line.facts]
    return "\n".join(texts), tuple(facts)


def _asked(training: Training, given: _Arguments) -> _Asked:
    values = given.model_dump(exclude_none=True)
    name, muscle = values.pop("exercise", None), values.pop("muscle", None)
    return _Asked(
        exercise=None if name is None else exercise_of(training, name),
        muscles=() if muscle is None else muscles_of(muscle),
        **values,
    )


def _lines(answer: Answer, first: int) -> Iterator[Line]:
    left = list(answer.facts)
    parent: int | None = None
    for number, text in enumerate(answer.text.split("\n")[:_MOST_LINES], start=first):
        own = []
        # Facts are in the order of the text.
        while left and left[0].shown in text:
            own.append(left.pop(0))
        is_indented = text.startswith(" ")
        yield Line(number, text, tuple(own), parent if is_indented else None)
        parent = parent if is_indented else number


def _documentation(training: Training, words: str) -> Answer:
    """Return the marts and columns whose name or description has all words."""
    wanted = words.lower().replace("_", " ").split()
    found: list[tuple[str, Documented]] = []
    for mart in documented_marts(training.released):
        found.append((mart.name, mart))
        found += [(mart.name, each) for each in documented_columns(training.released, mart.name)]
    lines: list[str] = []
    facts: list[Fact] = []
    for mart_name, each in found:
        text = f"{each.name.replace('_', ' ')} {each.description}".lower()
        if len(lines) < _MOST_DOCUMENTED and all(word in text for word in wanted):
            name = each.name if each.name == mart_name else f"{mart_name}.{each.name}"
            line = " ".join(f"{name}: {each.description}".split())
            source = Reference(mart=mart_name, key={}, column=each.name)
            lines.append(line)
            facts.append(Fact(shown=line, source=source))
    return Answer(
        kind="search",
        text="\n".join(lines) or "No table or column has these words.",
        facts=tuple(facts),
        is_found=bool(lines),
    )


def _strength(training: Training, asked: _Asked) -> Answer:
    if asked.exercise is None:
        raise NotNamedError("An exercise is missing.")
    return strength(training, asked.exercise)


_KINDS = (
    _Kind(
        *("get_next_workout", "Next workout", "Planned sets of the next workout."),
        *(_Exercise, lambda training, asked: next_workout(training, asked.exercise)),
    ),
    _Kind(
        *("explain_loads", "Reasons of the next loads", "Why the next loads are as they are."),
        *(_Exercise, lambda training, asked: why(training, asked.exercise)),
        frozenset({"body"}),
        has_recovery=True,
    ),
    _Kind(
        *("get_progress", "Progress", "Strength trend of an exercise or all: stalled, and why."),
        *(_Exercise, lambda training, asked: progress(training, asked.exercise)),
    ),
    _Kind(
        *("get_records", "Records", "Current records, or the heaviest set of at least `reps`."),
        *(_Records, lambda training, asked: records(training, asked.exercise, asked.reps)),
    ),
    _Kind(
        *("get_strength", "Estimated maximum", "Latest and best estimated one-rep maximum."),
        *(_OneExercise, _strength),
    ),
    _Kind(
        *("get_volume", "Weekly volume", "Weekly hard sets of muscles; sets of an exercise."),
        _Volume,
        lambda training, asked: volume(training, asked.exercise, asked.muscles, asked.week),
    ),
    _Kind(
        *("get_last_time", "Last time", "Last workout, or the last with an exercise or muscle."),
        _Last,
        lambda training, asked: last_time(training, asked.exercise, asked.muscles),
    ),
    _Kind(
        *("get_consistency", "Training days", "Training days of the latest weeks, and streak."),
        *(_Week, lambda training, asked: consistency(training, asked.week)),
    ),
    _Kind(
        *("get_body_weight", "Body weight", "Latest body weight with its trend."),
        *(_Arguments, lambda training, asked: body_weight(training)),
        frozenset({"body"}),
        frozenset({"body"}),
    ),
    _Kind(
        *("get_doubts", "Doubted data", "Sets that look like typing errors."),
        *(_Arguments, lambda training, asked: doubts(training)),
    ),
    _Kind(
        *("get_publication", "Publication", "State of the plan in Hevy."),
        *(_Arguments, lambda training, asked: published(training)),
    ),
    _Kind(
        *("get_memories", "Memories", "Learned habits, preferences and pains."),
        *(_Arguments, lambda training, asked: memories(training)),
        frozenset({"body", "notes"}),
        frozenset({"memories"}),
    ),
    _Kind(
        *("search_notes", "Found texts", "Notes, memories and weekly reviews near some words."),
        *(_Words, lambda training, asked: texts(training, asked.words)),
        frozenset({"body", "notes", "names"}),
        frozenset({"memories", "notes"}),
    ),
    _Kind(
        *("search_documentation", "Documentation", "Meaning of terms and of columns of tables."),
        *(_Words, lambda training, asked: _documentation(training, asked.words)),
    ),
)
