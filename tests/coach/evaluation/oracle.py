"""The simple forecasts' errors straight from an export: not a line is shared with the backtest."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import fmean, median

TEMPLATES = Path(__file__).parents[3] / "hevy_connector/exercise_templates.csv"
HEVY = ["start_time", "title", "exercise_title", "set_type", "weight_kg", "reps", "end_time"]
STRONG = ["Date", "Workout Name", "Exercise Name", "Set Order", "Weight", "Reps", "Duration"]

SIMPLE_FORECASTS = frozenset(
    {
        "repeat last",
        "last + increment",
        "last at this weight",
        "mean of 3",
        "mean of 5",
        "EWMA 0.5",
        "median of 5",
        "all-time best",
    }
)


def errors(path: Path) -> dict[str, float]:
    """By "reps NAME" and "e1rm NAME" the lifter's mean error, in repetitions and in % of e1RM."""
    types = {plain(row["title"]): row["type"] for row in rows(TEMPLATES)}
    sessions: dict = defaultdict(lambda: defaultdict(list))
    for raw in rows(path):
        cells = [raw[name] for name in (HEVY if "start_time" in raw else STRONG)]
        key, kind, kg, reps = cells[0], cells[3], float(cells[4] or 0), float(cells[5] or 0)
        start, end = moment(key), moment(cells[6])
        if end is None:
            length = {unit: int(count) for count, unit in re.findall(r"(\d+)([hm])", cells[6])}
            end = start + timedelta(hours=length.get("h", 0), minutes=length.get("m", 0))
        moved = types.get(plain(cells[2]), plain(cells[2]))
        if "assisted" not in moved and "bodyweight_weighted" not in moved:
            kind = "normal" if kind.isdigit() else kind
            done = kind, kg, reps, float(raw.get("rpe") or raw.get("RPE") or 0)
            sessions[start, end, cells[1]][plain(cells[2])].append(done)
    past, bests, found = defaultdict(list), defaultdict(list), defaultdict(list)
    for (start, end, _), exercises in sorted(sessions.items()):
        for name, done_sets in exercises.items():
            every = [
                (kg, reps, kg if reps == 1 else kg * (1 + reps / 30))
                for kind, kg, reps, _ in done_sets[warm_ups(done_sets) :]
                if kind in {"normal", "failure"} and kg > 0 and 1 <= reps <= 12
            ]
            if not every:
                continue
            mid = median(bests[name][-7:]) if len(bests[name]) >= 3 else None
            bests[name].append(max(best for *_, best in every))
            sets = [each for each in every if not mid or 0.4 * mid <= each[2] <= 1.6 * mid]
            if not sets:
                continue
            kg, reps, best = *max(sets)[:2], max(best for *_, best in sets)
            known = sorted((each for each in past[name] if each[1] < start), key=lambda e: e[1])
            past[name].append((start, end, kg, reps, best))
            if len(known) < 6 or start - known[-1][0] > timedelta(days=35):
                continue
            _, _, last_kg, last_reps, last_best = known[-1]
            here = [each for each in known if abs(each[2] - kg) <= 0.25]
            up = last_kg + step([each[2] for each in known])
            inverse = max(1, 30 * (last_best / kg - 1) if kg <= last_best else 0)
            more = up if last_reps == 1 else up * (1 + last_reps / 30)
            told = {"reps last + increment": last_reps + 1, "e1rm last + increment": more}
            told["reps last at this weight"] = here[-1][3] if here else inverse
            told["e1rm last at this weight"] = (here or known)[-1][4]
            for what, at in (("reps", 3), ("e1rm", 4)):
                told |= {f"{what} {key}": v for key, v in of([e[at] for e in known]).items()}
            for key, value in told.items():
                is_reps = key.startswith("reps")
                found[key].append(abs(value - reps) if is_reps else 100 * abs(value / best - 1))
    return {key: fmean(each) for key, each in found.items()}


def warm_ups(sets: list[tuple[str, float, float, float]]) -> int:
    """How many sets at the beginning are warm-ups without a mark."""
    real = [each for each in sets if each[0] in {"normal", "failure"} and each[1] and each[2]]
    top = max((kg for _, kg, _, _ in real), default=0.0)
    tops = [reps for _, kg, reps, _ in real if kg == top]
    count = 0
    for one, after in pairwise(sets):
        near = len(tops) > 1 and one[2] <= 0.6 * max(tops[1:]) and after[1] > one[1]
        rises = near or after[1] > 1.05 * one[1] or after[1] == one[1] <= 0.5 * top
        if one[0] != "normal" or one not in real or after not in real or not rises:
            break
        count += 1
    if not count or any(each[0] in {"warmup", "W"} for each in sets):
        return 0
    shown = [(kg, min(12, reps + (10 - rpe if rpe else 0))) for _, kg, reps, rpe in real]
    best = max(kg if reps == 1 else kg * (1 + reps / 30) for kg, reps in shown)
    at_work = [(k, r) for kind, k, r, _ in sets[count:] if kind in {"normal", "failure"}]
    (work_kg, work_reps), led_up = at_work[0], []
    same = sum(kg == work_kg for kg, _ in at_work)
    for _, kg, reps, rpe in sets[:count]:
        easy = kg < 0.85 * work_kg and reps <= 0.45 * max(1, 30 * (best / kg - 1))
        fewer = (
            kg < (1 if same > 1 else 0.95) * work_kg
            and reps <= 0.6 * work_reps
            and (reps <= 2 or same > 1)
        )
        repeated = any(other <= kg and more <= reps for other, more in at_work)
        led_up.append((easy or fewer) and rpe <= 6 and not repeated)
    single = count + 1 == len(sets) and work_reps <= sets[count - 1][2]
    if all(led_up) and not single and work_kg >= 0.85 * top:
        return count
    light = [fits and each[1] < 0.45 * top for fits, each in zip(led_up, sets, strict=False)]
    return [*light, False].index(False)


def rows(path: Path) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")))


def plain(title: str) -> str:
    return re.sub(r"\s+", " ", title).strip().lower()


def moment(text: str) -> datetime | None:
    if ":" not in text:
        return None
    form = "%d %b %Y, %H:%M" if "," in text else "%Y-%m-%d %H:%M:%S"
    return datetime.strptime(text, form)  # noqa: DTZ007 - only differences count


def step(loads: Sequence[float]) -> float:
    rises = [round(after - before, 2) for before, after in pairwise(loads) if after - before > 0.25]
    tenths = [round(rise, 1) for rise in rises]
    own = sorted(tenth for tenth in set(tenths) if tenths.count(tenth) >= 3)
    return median(r for r in rises if round(r, 1) == own[0]) if own else 2.5


def of(series: Sequence[float]) -> dict[str, float]:
    *_, level = accumulate(series, lambda level, each: (level + each) / 2)
    told = {"repeat last": series[-1], "EWMA 0.5": level, "all-time best": max(series)}
    told |= {"mean of 3": fmean(series[-3:]), "mean of 5": fmean(series[-5:])}
    return told | {"median of 5": median(series[-5:])}
