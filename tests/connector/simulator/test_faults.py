"""Selection of requests by fault rules, and the grammar of rules."""

import pytest

from hevy_connector.simulator import FAULT_GRAMMAR, FaultRuleError, Faults
from hevy_connector.simulator.api.faults import FaultRule, parse_fault

WORKOUTS = ("GET", "/v1/workouts")


def struck(faults: Faults, *requests: tuple[str, str]) -> list[str | None]:
    rules = [faults.strike(method, path) for method, path in requests]
    return [rule.text if rule else None for rule in rules]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("429 every=3", FaultRule("429 every=3", "status", status=429, every=3)),
        (
            "  429  retry-after=2 nth=5 ",
            FaultRule("429 retry-after=2 nth=5", "status", status=429, retry_after_s=2, nth=5),
        ),
        (
            "500 path=/v1/workouts method=put times=2",
            FaultRule(
                "500 path=/v1/workouts method=put times=2",
                "status",
                status=500,
                path="/v1/workouts",
                method="PUT",
                times=2,
            ),
        ),
        ("timeout", FaultRule("timeout", "timeout", seconds=60)),
        (
            "timeout=0.5 after",
            FaultRule("timeout=0.5 after", "timeout", seconds=0.5, is_after=True),
        ),
        ("slow=2.5 chance=0.1", FaultRule("slow=2.5 chance=0.1", "slow", seconds=2.5, chance=0.1)),
        ("reset after", FaultRule("reset after", "reset", is_after=True)),
        ("truncate", FaultRule("truncate", "truncate")),
        ("duplicate times=1", FaultRule("duplicate times=1", "duplicate", times=1)),
        ("drift=delete nth=2", FaultRule("drift=delete nth=2", "drift", drift="delete", nth=2)),
        (
            "503 retry-after=0",
            FaultRule("503 retry-after=0", "status", status=503, retry_after_s=0),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_rule_is_one_line(text: str, rule: FaultRule) -> None:
    assert parse_fault(text) == rule


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "its kind is unknown"),
        ("explode", "its kind is unknown"),
        ("drift", "its kind is unknown"),
        ("drift=rename", "'drift=rename' is unknown"),
        ("429=1", "'429=1' is unknown"),
        ("200", "a status is between 400 and 599"),
        ("timeout=soon", "'soon' is not a number of seconds up to a day"),
        ("slow=nan", "'nan' is not a number of seconds up to a day"),
        ("slow=-1", "'-1' is not a number of seconds up to a day"),
        ("429 nth=0", "'0' is no whole number above 0"),
        ("429 every=two", "'two' is no whole number above 0"),
        ("429 chance=2", "'2' is not a chance between 0 and 1"),
        ("429 sometimes", "'sometimes' is unknown"),
        ("429 path=", "'path=' is wrong"),
        ("429 nth=1 nth=2", "'nth' is given twice"),
        ("429 nth=1 every=2", "nth, every and chance exclude each other"),
        ("truncate after", "'after' goes with a status, reset and timeout only"),
        ("reset retry-after=1", "'retry-after' goes with a status only"),
    ],
)
def test_what_is_no_rule_is_refused_with_the_form_of_one(text: str, reason: str) -> None:
    with pytest.raises(FaultRuleError) as refused:
        parse_fault(text)
    assert str(refused.value) == f"'{text}' is no fault rule: {reason}. Its form:\n{FAULT_GRAMMAR}"


@pytest.mark.parametrize(
    ("rule", "numbers"),
    [
        ("429", [1, 2, 3, 4, 5, 6, 7]),
        ("429 nth=3", [3]),
        ("429 every=3", [3, 6]),
        ("429 times=2", [1, 2]),
        ("429 every=2 times=2", [2, 4]),
        ("429 chance=0", []),
        ("429 chance=1", [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_a_rule_counts_its_requests(rule: str, numbers: list[int]) -> None:
    found = struck(Faults([rule]), *[WORKOUTS] * 7)
    assert [number for number, text in enumerate(found, start=1) if text] == numbers


def test_a_rule_counts_only_requests_of_its_path_and_method() -> None:
    faults = Faults(["500 path=/v1/workouts* method=GET nth=2"])
    requests = [
        ("GET", "/v1/workouts"),
        ("POST", "/v1/workouts"),
        ("GET", "/v1/routines"),
        ("GET", "/v1/workouts/events"),
        ("GET", "/v1/workouts"),
    ]
    assert [text is not None for text in struck(faults, *requests)] == [
        False, False, False, True, False,
    ]  # fmt: skip


def test_a_path_without_a_star_is_that_path_alone() -> None:
    faults = Faults(["500 path=/v1/workouts"])
    assert struck(faults, ("GET", "/v1/workouts/count")) == [None]


def test_the_first_rule_that_strikes_decides_and_all_of_them_count() -> None:
    faults = Faults(["429 nth=2", "500 every=2", "reset times=1"])
    assert struck(faults, *[WORKOUTS] * 5) == [
        "reset times=1",
        "429 nth=2",
        None,
        "500 every=2",
        None,
    ]


def test_chance_is_the_same_for_the_same_seed() -> None:
    first, second, other = (
        struck(Faults(["429 chance=0.5"], seed=seed), *[WORKOUTS] * 40) for seed in (1, 1, 2)
    )
    assert first == second != other
    assert 10 < sum(text is not None for text in first) < 30


def test_set_counts_from_nothing_and_clear_ends_it() -> None:
    faults = Faults(["429 nth=1"])
    assert struck(faults, WORKOUTS, WORKOUTS) == ["429 nth=1", None]
    faults.set(["429 nth=1"])
    assert struck(faults, WORKOUTS) == ["429 nth=1"]
    faults.clear()
    assert faults.texts() == []
    assert struck(faults, WORKOUTS) == [None]


def test_a_bad_rule_leaves_the_old_ones_in_force() -> None:
    faults = Faults(["429"])
    with pytest.raises(FaultRuleError):
        faults.set(["500", "nonsense"])
    assert faults.texts() == ["429"]


@pytest.mark.parametrize("rule", ["500 path=v1/workouts", "429 method=FETCH"])
def test_a_rule_that_could_never_strike_is_refused(rule: str) -> None:
    with pytest.raises(FaultRuleError):
        Faults([rule])
