"""Leave-one-lifter-out errors: constants chosen on the other lifters, errors of the one left out.

The constants of forecasts are read when their modules are imported, so each setting is evaluated in
a process of its own.
"""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from typing import Any, Literal, NamedTuple

Part = Literal["reps", "e1rm", "chance"]

SETTINGS: Mapping[Part, Mapping[str, tuple[Any, ...]]] = {
    "reps": {
        "PREDICT_EXPOSURES": (3, 6),
        "PREDICT_AGE_REACH": (2.5, 10.0),
        "PREDICT_LOAD_REACH": (2.0, 8.0),
    },
    "e1rm": {
        "PREDICT_DECAY": (0.3, 0.7),
        "FORECAST_REGAINED": (0.25, 0.75),
        "FORECAST_LEVEL": ((0.35, 0.1), (1.0, 0.3)),
        "FORECAST_LEVEL_EXPOSURES": (2, 4),
        "FORECAST_MAX_TRUST": ((1.0, 1.0, 1.0, 1.0), (6.0, 1.0, 1.0, 1.0)),
        "FORECAST_LEARNING_RATE": (0.1, 0.4),
    },
    "chance": {
        "PREDICT_CHANCE": ((-0.15, 1.05), (0.45, 1.05), (0.15, 0.75), (0.15, 1.35)),
        "PREDICT_CHANCE_EXCESS": ((0.05, 0.5), (0.2, 0.5), (0.1, 0.25), (0.1, 0.75)),
    },
}
"""Alternatives to the present value of each constant that was chosen on the logs."""


class Result(NamedTuple):
    """A lifter's forecasts with one setting.

    `losses` are the mean error of repetitions, that of maxima in %, and the mean log loss of
    chances; `chances` are the stated ones with whether the target was reached.
    """

    losses: Mapping[Part, float]
    chances: tuple[tuple[float, bool], ...]


Setting = tuple[str, Any]
PRESENT: Setting = ("", None)
Results = Mapping[Setting, Mapping[str, Result]]
"""By setting, the results of each lifter."""


def settings_of(part: Part) -> list[Setting]:
    """Return the present setting, then every alternative for a part."""
    alternatives = [(name, value) for name, values in SETTINGS[part].items() for value in values]
    return [PRESENT, *alternatives]


def left_out(results: Results, part: Part) -> dict[str, Result]:
    """By lifter, the result of the setting with the lowest loss of the others.

    Of two equal ones the present setting wins.
    """
    lifters = results[PRESENT]

    def loss(setting: Setting, lifter: str) -> float:
        found = results[setting]
        return fmean(found[other].losses[part] for other in lifters if other != lifter)

    return {
        lifter: results[min(settings_of(part), key=lambda each: loss(each, lifter))][lifter]
        for lifter in lifters
    }


def table(
    results: Results, largest_error: Callable[[Sequence[tuple[float, bool]]], float]
) -> list[str]:
    """Return the lines of a Markdown table: present constants and those of the other lifters.

    `largest_error` returns the largest difference of stated and reached shares.
    """
    rows = [
        "| constants chosen on | MAE, reps | e1RM: MAPE | largest error of chances |",
        "| --- | --- | --- | --- |",
    ]
    for name, choose in (
        ("all lifters", lambda part: results[PRESENT]),
        ("the other lifters", lambda part: left_out(results, part)),
    ):
        reps, e1rm = (
            fmean(each.losses[part] for each in choose(part).values()) for part in ("reps", "e1rm")
        )
        chances = [pair for each in choose("chance").values() for pair in each.chances]
        rows.append(f"| {name} | {reps:.2f} | {e1rm:.2f} | {largest_error(chances):.3f} |")
    return rows


def measured() -> Results:
    """Evaluate every setting on the real logs."""
    every = list(dict.fromkeys(each for part in SETTINGS for each in settings_of(part)))
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(every, pool.map(_in_own_process, every), strict=True))


def _in_own_process(setting: Setting) -> dict[str, Result]:
    done = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(setting)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return {
        lifter: Result(losses, tuple((chance, came) for chance, came in chances))
        for lifter, (losses, chances) in json.loads(done.stdout).items()
    }


def results_with(setting: Setting) -> dict[str, Result]:
    """By lifter, the result of a setting, without the parts that it cannot change.

    Only in a process that imported no engine yet.
    """
    from coach_agent.domain.constants import forecast as constants

    name, value = setting
    if name:
        given = tuple(value) if isinstance(value, list) else value
        object.__setattr__(getattr(constants, name), "value", given)

    from coach_agent.evaluation.cases import cases_of
    from coach_agent.evaluation.engine_forecast import ENGINE, engine_of_e1rm, engine_of_reps
    from coach_agent.evaluation.scores import measures_of, score
    from tests.coach.evaluation.real_logs import real_logs

    parts = [part for part in SETTINGS if not name or name in SETTINGS[part]]
    found: dict[str, Result] = {}
    for log in real_logs():
        losses: dict[Part, float] = {}
        chances: tuple[tuple[float, bool], ...] = ()
        if "e1rm" in parts:
            e1rm = cases_of(log, "e1rm", (engine_of_e1rm(),))
            if (mape := score(e1rm, ENGINE, measures_of("e1rm")["mape"])) is not None:
                losses["e1rm"] = mape.value
        if parts != ["e1rm"]:
            reps = cases_of(log, "reps", (engine_of_reps(),))
            chances = tuple(
                (forecast.p_target, case.is_hit)
                for case in reps
                if (forecast := case.forecasts[ENGINE]) is not None
                and forecast.p_target is not None
            )
            if (mae := score(reps, ENGINE, measures_of("reps")["mae"])) is not None:
                losses |= {"reps": mae.value, "chance": _log_loss(chances)}
        if losses:
            found[log.lifter] = Result(losses, chances)
    return found


def _log_loss(chances: Sequence[tuple[float, bool]]) -> float:
    return fmean(-math.log(chance if came else 1 - chance) for chance, came in chances)


if __name__ == "__main__":
    print(json.dumps(results_with(json.loads(sys.argv[1]))))
