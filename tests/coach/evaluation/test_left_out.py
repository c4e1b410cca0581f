"""Constants chosen on the other lifters, and the errors of the lifter left out."""

from tests.coach.evaluation.left_out import (
    PRESENT,
    Part,
    Result,
    Setting,
    left_out,
    settings_of,
    table,
)


def result(reps: float, chance: float = 0.5) -> Result:
    losses: dict[Part, float] = {"reps": reps, "e1rm": 5.0, "chance": 0.4}
    return Result(losses, ((chance, True),))


def results(alternative: dict[str, float]) -> dict[Setting, dict[str, Result]]:
    """Every setting like the present one, but the first alternative for repetitions."""
    present = {lifter: result(1.0) for lifter in ("a", "b", "c")}
    found = {each: present for part in ("reps", "e1rm", "chance") for each in settings_of(part)}
    found[settings_of("reps")[1]] = {lifter: result(error) for lifter, error in alternative.items()}
    return found


def test_the_lifter_left_out_has_no_part_in_the_choice() -> None:
    """Only `a` gains from the alternative, so it is chosen for the others and never for `a`."""
    found = left_out(results({"a": 0.1, "b": 1.2, "c": 1.2}), "reps")
    assert {lifter: each.losses["reps"] for lifter, each in found.items()} == {
        "a": 1.0,
        "b": 1.2,
        "c": 1.2,
    }


def test_of_equal_settings_the_present_one_stays() -> None:
    found = results({"a": 1.0, "b": 1.0, "c": 1.0})
    assert left_out(found, "reps") == found[PRESENT]


def test_the_table_has_both_choices() -> None:
    lines = table(results({"a": 0.1, "b": 1.2, "c": 1.2}), lambda chances: len(chances) / 100)
    assert lines[2:] == [
        "| all lifters | 1.00 | 5.00 | 0.030 |",
        "| the other lifters | 1.13 | 5.00 | 0.030 |",
    ]
