"""Faults between the service and its client, as rules of one line each.

    429 every=3 retry-after=2           every third request is refused
    reset after method=PUT times=1      the first PUT takes effect, but its response is lost
    drift=add path=/v1/workouts nth=2   a workout is added just before the second page is read

The selection of requests depends only on the requests, their order and a seed.
"""

import random
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

FAULT_GRAMMAR = """\
KIND [after] [path=GLOB] [method=M] [nth=N | every=N | chance=P] [times=N]
KIND is one of
  400 ... 599            answered with this status instead; retry-after=SECONDS adds the header
  reset                  the connection is reset, without an answer
  timeout[=SECONDS]      no answer; after 60 (or so many) seconds the connection is closed
  truncate               the answer ends halfway and the connection is closed
  slow[=SECONDS]         the answer drips in over 1 (or so many) seconds
  duplicate              the request is delivered twice, the second answer is seen
  drift=add|edit|delete  just before, the athlete does this to a workout in the app
With "after" (a status, reset, timeout) the request takes effect and its answer suffers."""

Drift = Literal["add", "edit", "delete"]
Kind = Literal["status", "reset", "timeout", "truncate", "slow", "duplicate", "drift"]

_DEFAULT_SECONDS = {"timeout": 60.0, "slow": 1.0}
_MAY_COME_AFTER = ("status", "reset", "timeout")
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_SELECTORS = ("nth", "every", "chance")


class FaultRuleError(ValueError):
    """A rule cannot be parsed; the message shows the grammar."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"'{text}' is no fault rule: {reason}. Its form:\n{FAULT_GRAMMAR}")


@dataclass(frozen=True)
class FaultRule:
    """One kind of fault and the selection of its requests.

    `seconds` belongs to timeout and slow, `status` and `retry_after_s` to a response with that
    status, `drift` to an action of the athlete. Without nth, every or chance the rule applies to
    all requests with its path and method, or to the first `times` of them.
    """

    text: str
    kind: Kind
    status: int = 0
    seconds: float = 0.0
    drift: Drift = "add"
    is_after: bool = False
    path: str = "*"
    method: str | None = None
    nth: int | None = None
    every: int | None = None
    chance: float | None = None
    times: int | None = None
    retry_after_s: int | None = None

    @property
    def is_carried_out(self) -> bool:
        """Return whether the account processes the request although its response fails."""
        return self.is_after or self.kind not in _MAY_COME_AFTER

    def fits(self, method: str, path: str) -> bool:
        """Return whether the rule counts a request."""
        return self.method in (None, method) and fnmatchcase(path, self.path)


class Faults:
    """The active rules; they may be changed during requests, from any thread. Thread-safe.

    Every rule counts its matching requests, and the first rule that applies decides.
    """

    def __init__(self, rules: Iterable[str] = (), *, seed: int = 0) -> None:
        self._lock = threading.Lock()
        self._seed = seed
        self.set(rules)

    def set(self, rules: Iterable[str]) -> None:
        """Replace all rules and reset the counters.

        Raises:
            FaultRuleError: a rule cannot be parsed; the old ones stay.
        """
        counted = [_RuleCounter(parse_fault(text)) for text in rules]
        with self._lock:
            self._rules = counted
            self._rng = random.Random(self._seed)  # noqa: S311 - faults on demand, no secret

    def clear(self) -> None:
        """Remove all rules."""
        self.set([])

    def texts(self) -> list[str]:
        """Return the active rules as text."""
        with self._lock:
            return [counted.rule.text for counted in self._rules]

    def strike(self, method: str, path: str) -> FaultRule | None:
        """Count a request in all rules and return the rule that applies to it."""
        with self._lock:
            wanting = [
                counted
                for counted in self._rules
                if counted.rule.fits(method, path) and counted.wants_next(self._rng)
            ]
            if not wanting:
                return None
            wanting[0].struck += 1
            return wanting[0].rule


@dataclass
class _RuleCounter:
    """A rule with the number of requests that it matched and that it affected."""

    rule: FaultRule
    seen: int = 0
    struck: int = 0

    def wants_next(self, rng: random.Random) -> bool:
        self.seen += 1
        rule = self.rule
        if rule.times is not None and self.struck >= rule.times:
            return False
        if rule.nth is not None:
            return self.seen == rule.nth
        if rule.every is not None:
            return self.seen % rule.every == 0
        return rule.chance is None or rng.random() < rule.chance


def parse_fault(text: str) -> FaultRule:
    """Parse a rule; see `FAULT_GRAMMAR`.

    Raises:
        FaultRuleError: the line is no rule.
    """
    head, *options = text.split() or [""]
    try:
        fields = _kind_fields(*_name_and_value(head))
        for option in options:
            name, value = _name_and_value(option)
            field, fits = _option_field(name, value)
            if field in fields:
                raise ValueError(f"'{name}' is given twice")
            fields[field] = fits
        _require_coherent(fields)
    except ValueError as error:
        raise FaultRuleError(text, str(error)) from None
    return FaultRule(text=" ".join([head, *options]), **fields)


def _name_and_value(word: str) -> tuple[str, str | None]:
    name, equals, value = word.partition("=")
    return name, value if equals else None


def _kind_fields(name: str, value: str | None) -> dict[str, Any]:
    if name.isascii() and name.isdigit() and value is None:
        if not 400 <= int(name) <= 599:
            raise ValueError("a status is between 400 and 599")
        return {"kind": "status", "status": int(name)}
    if name in _DEFAULT_SECONDS:
        seconds = _DEFAULT_SECONDS[name] if value is None else _seconds(value)
        return {"kind": name, "seconds": seconds}
    if name == "drift" and value in get_args(Drift):
        return {"kind": name, "drift": value}
    if name in ("reset", "truncate", "duplicate") and value is None:
        return {"kind": name}
    raise ValueError("its kind is unknown" if value is None else f"'{name}={value}' is unknown")


def _option_field(name: str, value: str | None) -> tuple[str, Any]:
    if name == "after" and value is None:
        return "is_after", True
    if name not in _OPTIONS or not value:
        raise ValueError(f"'{name}' is unknown" if value is None else f"'{name}={value}' is wrong")
    field, read = _OPTIONS[name]
    return field, read(value)


def _require_coherent(fields: Mapping[str, Any]) -> None:
    if "is_after" in fields and fields["kind"] not in _MAY_COME_AFTER:
        raise ValueError("'after' goes with a status, reset and timeout only")
    if "retry_after_s" in fields and fields["kind"] != "status":
        raise ValueError("'retry-after' goes with a status only")
    if sum(name in fields for name in _SELECTORS) > 1:
        raise ValueError("nth, every and chance exclude each other")


def _glob(value: str) -> str:
    if value[0] not in "/*":
        raise ValueError(f"no path fits '{value}': paths begin with /")
    return value


def _method(value: str) -> str:
    if value.upper() not in _METHODS:
        raise ValueError(f"'{value}' is none of {', '.join(_METHODS)}")
    return value.upper()


def _count(value: str) -> int:
    if not (value.isascii() and value.isdigit() and 1 <= len(value) < 10 and int(value) > 0):
        raise ValueError(f"'{value}' is no whole number above 0")
    return int(value)


def _whole_seconds(value: str) -> int:
    return 0 if value == "0" else _count(value)


def _seconds(value: str) -> float:
    return _number_within(value, 86_400, "a number of seconds up to a day")


def _share(value: str) -> float:
    return _number_within(value, 1, "a chance between 0 and 1")


def _number_within(value: str, highest: float, meaning: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= highest:
        raise ValueError(f"'{value}' is not {meaning}")
    return number


_OPTIONS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "path": ("path", _glob),
    "method": ("method", _method),
    "nth": ("nth", _count),
    "every": ("every", _count),
    "chance": ("chance", _share),
    "times": ("times", _count),
    "retry-after": ("retry_after_s", _whole_seconds),
}
