import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import coach_agent
from coach_agent.domain.constants import catalogue, history
from coach_agent.domain.constants.constant import Constant
from hevy_connector.csv_imports import routines

SOURCES = Path(coach_agent.__file__).parent
ROOT = Path(__file__).parents[3]
TABLE = ROOT / ".." / "shared" / "coaching" / "defaults.md"

# Numbers that rules need and for which the table has no key.
OWN_KEYS = {
    "effort.limit",
    "history.light_before",
    "jump.once_more",
    "typo.bar_kg",
    "alternation.gap",
    "alternation.least",
    "alternation.medium_gap",
    "block.unnoticed",
    "deload.block_rir",
    "deload.block_unrated",
    "deload.trigger_days",
    "double.down_factor",
    "body.assumed_kg",
    "body.measured_days",
    "linear.fail_limit_hard",
    "tm.least_top",
    "tm.missed_factor",
    "typo.effort",
    "rest.warmup",
    "stack.widest_step",
    "unmarked.effort",
    "unmarked.fewer",
    "unmarked.fewer_reps",
    "unmarked.least_reps",
    "unmarked.level",
    "unmarked.light",
    "unmarked.load",
    "unmarked.repeated",
    "unmarked.rpe",
    "typo.odd",
    "typo.pounds",
    "time.least_sets",
    "time.main_sets",
    "e1rm.tested_days",
    "e1rm.tested_spare",
    "e1rm.single_habit",
    "e1rm.trained_workouts",
    "meet.attempts",
    "meet.evidence_days",
    "meet.last_heavy_lower",
    "meet.last_heavy_upper",
    "meet.light_days",
    "meet.light_load",
    "meet.light_reps",
    "meet.most_above",
    "meet.recovery_days",
    "meet.recovery_load",
    "meet.recovery_rpe",
    "meet.recovery_sets",
    "meet.rest_days",
    "meet.rounding",
    "meet.sharp_load",
    "meet.warmup",
    "context.alike_reps",
    "context.own_place_days",
    "double.far_below",
    "double.quick_reps",
    "increment.timed_share",
    "jump.wider_reps",
    "duration.window",
    "floor.load",
    "effort.limit_workouts",
    "effort.never_raised",
    "effort.reserve",
    "effort.reserve_bias",
    "forecast.learning_rate",
    "forecast.level",
    "forecast.level_exposures",
    "forecast.max_miss",
    "forecast.max_trust",
    "forecast.regained",
    "gzclp.stages",
    "insight.fatigue",
    "insight.skipped",
    "insight.volume_fall",
    "jump.proved_pct",
    "jump.proved_reps",
    "interval.least",
    "interval.pooled",
    "layoff.elsewhere",
    "layoff.first_day",
    "layoff.hold_weeks",
    "layoff.kept_weeks",
    "layoff.reps",
    "layoff.return_from",
    "layoff.return_rpe",
    "layoff.return_spare",
    "layoff.return_step",
    "layoff.return_until",
    "layoff.sets",
    "layoff.strength",
    "layoff.usual_gaps",
    "llm.lighter",
    "llm.lighter_steps",
    "llm.reps",
    "next_set.drop_off",
    "next_set.failure",
    "next_set.unknown_step",
    "other_work.load_pct",
    "other_work.reps",
    "predict.age_reach",
    "predict.break_share",
    "predict.chance",
    "predict.chance_bound",
    "predict.chance_excess",
    "predict.chance_spread",
    "predict.decay",
    "predict.exposures",
    "predict.in_reach",
    "predict.load_reach",
    "predict.rep_dropoff",
    "rest.heavy_reps",
    "rotation.pattern",
    "rotation.window",
    "stall.fix_rep_range",
    "tm.wave",
    "typo.alike",
    "typo.count_hi",
    "typo.count_least",
    "typo.min_others",
    "typo.part_kg",
    "typo.ramp",
    "typo.repeated",
    "typo.tenfold",
}
# Keys with text values, which are no numbers: they have to be in code.
POLICIES = {
    "deload.never_full_stop",
    "double.require_all_sets",
    "llm.load_bound",
    "readiness.mode",
    "round.cap_and_reduction",
    "round.never_zero",
    "round.target",
    "rpe.missing",
}
# One curve of the length of a break replaces its two kinds.
REPLACED = {
    "layoff.long_load",
    "layoff.long_return",
    "layoff.mid_first_sets",
    "layoff.mid_load",
    "layoff.mid_until",
}
NOT_READ_YET = {
    "backoff.sets",
    "display.acwr",
    "display.dots_clamp",
    "display.inol_bands",
    "display.monotony_sd",
    "display.prilepin",
    "display.tsb",
    "e1rm.method",
    "llm.max_retries",
    "plan.rep_dropoff",
    "readiness.low_load",
    "rir.prompt_weeks",
    "rpe.write_values",
    "taper.min_intensity",
}


def test_keys_are_unique() -> None:
    keys = [constant.key for constant in catalogue.constants()]
    assert len(keys) == len(set(keys)) > 0


CONSTANTS = SOURCES / "domain" / "constants"


def test_each_constant_is_read_by_code() -> None:
    used = {
        node.id
        for path in SOURCES.rglob("*.py")
        if path.parent != CONSTANTS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name)
    }
    assert set(defined_names()) <= used


def test_the_catalogue_has_each_constant() -> None:
    assert list(defined_names().values()) == sorted(
        catalogue.constants(), key=lambda constant: constant.key
    )


def defined_names() -> dict[str, Constant[object]]:
    """The constants of all modules by name, in the order of their keys."""
    found = {
        name: value
        for path in CONSTANTS.glob("*.py")
        for name, value in vars(import_module(f"{catalogue.__package__}.{path.stem}")).items()
        if isinstance(value, Constant)
    }
    return dict(sorted(found.items(), key=lambda item: item[1].key))


def test_the_version_of_the_rules_follows_the_constants() -> None:
    first, *others = catalogue.constants()
    assert catalogue.version_of([first, *others]) == catalogue.rule_version()
    assert catalogue.version_of([replace(first, value=9.0), *others]) != catalogue.rule_version()


@pytest.fixture
def table() -> dict[str, list[str]]:
    """The defaults by key, each with its other cells: default, unit, then up to the note."""
    if not TABLE.exists():
        pytest.skip("the table of defaults is not on this machine")
    rows = (
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    )
    return {key: cells for key, *cells in rows if re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", key)}


def numbers(value: object) -> Iterator[float]:
    if isinstance(value, tuple):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, int | float):
        yield float(value)


def test_every_constant_is_the_default_of_the_table(table: dict[str, list[str]]) -> None:
    assert {constant.key for constant in catalogue.constants()} - set(table) == OWN_KEYS
    for constant in catalogue.constants():
        if constant.key not in OWN_KEYS:
            default, *_ = table[constant.key]
            told = [float(each) for each in re.findall(r"(?<!\d)-?\d+(?:\.\d+)?", default)]
            assert list(numbers(constant.value)) == pytest.approx(told), constant.key
            labels = [cell for cell in table[constant.key] if cell.startswith("[")]
            assert labels[0].startswith(f"[{constant.label}"), constant.key


def test_every_key_of_the_table_is_read_or_known_not_to_be(table: dict[str, list[str]]) -> None:
    project = yaml.safe_load((ROOT / "dbt_project" / "dbt_project.yml").read_text())
    read = {constant.key for constant in catalogue.constants()} | set(project["vars"])
    assert set(table) - read == POLICIES | NOT_READ_YET | REPLACED


def test_routines_of_files_have_the_bounds_of_the_coach() -> None:
    assert (
        history.TYPO_COUNT_LEAST.value,
        history.TYPO_COUNT_HI.value,
        history.TYPO_WINDOW.value,
    ) == (routines.DOUBTED_FROM, routines.DOUBTED_ABOVE, routines.DOUBT_WINDOW)
    assert 1 + history.ALTERNATION_MEDIUM_GAP.value / 100 == routines.DAYS_APART


def test_b1_the_page_of_constants_is_made_from_them() -> None:
    page = ROOT / "docs" / "constants.md"
    assert page.read_text(encoding="utf-8") == catalogue.constants_markdown(), (
        "write constants_markdown() to docs/constants.md"
    )


def test_the_page_of_constants_explains_its_abbreviations() -> None:
    """RPE, RIR, AMRAP and TM were used without an explanation."""
    introduction = catalogue.constants_markdown().partition("| Key |")[0]
    used = {
        word
        for constant in catalogue.constants()
        for word in re.findall(r"\b(?:e1RM|[A-Z]{2,})\b", f"{constant.meaning} {constant.unit}")
    }
    assert {"RPE", "TM"} <= used
    assert [word for word in sorted(used) if f"{word} " not in introduction] == []


def test_every_constant_says_what_it_is() -> None:
    for constant in catalogue.constants():
        assert constant.meaning.strip() == constant.meaning != ""
        assert "|" not in constant.meaning
