"""The numbers of a lifter for the lifts of a programme: `--number "Squat (Barbell)=60"`."""

from collections.abc import Sequence

from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.programmes.model import Programme
from orchestration.config.settings import SettingsError

_MOST_KG = 500


def numbers_of(programme: Programme, texts: Sequence[str]) -> dict[str, float]:
    """Return the numbers by lift.

    One for an exercise is for all of its lifts. One for a lift is also for other lifts of the
    exercise that start from the same kind of number and have none themselves.

    Raises:
        SettingsError: an unknown exercise, another form, or an exercise whose lifts start from
            different kinds of numbers.
    """
    named: dict[str, float] = {}
    for text in texts:
        written, _, number = text.partition("=")
        lifts = _lifts(programme, written.strip(), text)
        named |= {lift: _number(programme, lift, number, text) for lift in lifts}
    found = dict(named)
    for lift, value in named.items():
        own = programme.lifts[lift]
        for name, other in programme.lifts.items():
            if (other.exercise, other.start.of) == (own.exercise, own.start.of):
                found.setdefault(name, value)
    return found


def _lifts(programme: Programme, written: str, text: str) -> list[str]:
    if written in programme.lifts:
        return [written]
    title = normalize_title(written)
    lifts = {
        name: lift
        for name, lift in programme.lifts.items()
        if normalize_title(lift.exercise) == title and lift.load_of is None
    }
    if not lifts:
        titles = list(dict.fromkeys(lift.exercise for lift in programme.lifts.values()))
        known = ", ".join(titles)
        hint = did_you_mean(written, (*titles, *programme.lifts))
        raise SettingsError(f"--number {text}: there is no {written!r}; there are {known}.{hint}")
    if len({lift.start.of for lift in lifts.values()}) > 1:
        kinds = ", ".join(f"{name} ({lift.start.of})" for name, lift in lifts.items())
        raise SettingsError(f"--number {text}: name the lift; there are {kinds}.")
    return list(lifts)


def _number(programme: Programme, lift: str, number: str, text: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = 0.0
    rungs = programme.lifts[lift].progression.rungs
    if not 0 < value <= (len(rungs) or _MOST_KG) or (rungs and value != int(value)):
        kind = f"a rung from 1 to {len(rungs)}" if rungs else f"kg above 0, up to {_MOST_KG}"
        raise SettingsError(f"--number {text}: write {lift} and {kind}, as {lift}=2.")
    return value
