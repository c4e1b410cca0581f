"""Sessions that fit a day."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.pain import LEVELS, Pain, Titled, known_parts, load_on
from coach_agent.language.messages import in_language, languages
from coach_agent.sessions.catalogue import MUSCLES, Session, bundled_sessions
from coach_agent.sessions.matching import MatchedSession, SessionDay, matched_sessions

TODAY = date(2026, 3, 4)
WORKOUT = SessionDay(
    today=TODAY,
    is_workout_day=True,
    planned=("chest", "triceps"),
    first_exercise="Bench Press (Barbell)",
    trained=("quadriceps",),
)
REST = SessionDay(today=TODAY, is_workout_day=False, trained=("calves", "hamstrings"))
SPIN = Session(id="spin", title="Spinning", kind="cardio", minutes=45, intensity="moderate")


def matched(day: SessionDay, *own: Session) -> list[tuple[str, str]]:
    found = matched_sessions(day, (*bundled_sessions(), *own))
    return [(each.session.id, each.reason) for each in found]


def test_before_a_workout_its_muscles_are_warmed_up() -> None:
    [found] = matched_sessions(WORKOUT, bundled_sessions())
    assert found.text == "8 min, before Bench Press (Barbell)"
    assert (found.session.id, found.muscles) == ("warm-up-pressing", ("chest", "triceps"))


def test_a_warm_up_stays_within_the_time_of_the_session() -> None:
    assert matched(replace(WORKOUT, minutes_left=8.0)) == [("warm-up-pressing", "warm_up")]
    assert matched(replace(WORKOUT, minutes_left=7.9)) == []


def test_on_a_rest_day_the_trained_muscles_are_moved_and_cardio_is_suggested_once_in_a_while() -> (
    None
):
    mobility, cardio = matched_sessions(REST, bundled_sessions())
    assert mobility.session.id == "ankle-mobility"
    assert mobility.text == "10 min, for calves after your last workout"
    assert cardio.reason == "cardio"
    assert matched(replace(REST, has_cardio=True)) == [("ankle-mobility", "mobility")]


def test_an_easy_week_and_lowered_recovery_get_a_recovery_session_alone() -> None:
    for change, reason in (
        ({"is_easy_week": True}, "easy_week"),
        ({"is_recovery_low": True}, "recovery"),
    ):
        assert [why for _, why in matched(replace(REST, **change))] == [reason]
        assert [why for _, why in matched(replace(WORKOUT, **change))] == ["warm_up", reason]


def test_equal_sessions_take_turns_by_the_day() -> None:
    seen = {
        matched(replace(REST, trained=(), today=TODAY + timedelta(days=n)))[0][0] for n in range(3)
    }
    assert seen == {"easy-bike", "easy-row", "easy-walk"}


def test_a_moderate_class_fits_a_rested_day_alone() -> None:
    days = [TODAY + timedelta(days=n) for n in range(4)]
    rested = [matched(replace(REST, trained=(), today=day), SPIN) for day in days]
    assert ("spin", "cardio") in [one for each in rested for one in each]
    tired = [matched(replace(REST, today=day), SPIN) for day in days]
    assert ("spin", "cardio") not in [one for each in tired for one in each]


def test_a_hard_class_never_fits() -> None:
    hard = SPIN.model_copy(update={"intensity": "hard"})
    assert matched_sessions(replace(REST, trained=()), [hard]) == ()


def test_a_session_for_the_whole_body_is_left_out_with_any_pain() -> None:
    yoga = SPIN.model_copy(update={"id": "power-yoga", "title": "Power yoga", "intensity": "easy"})
    day = replace(REST, trained=(), pains=(Pain(part="left knee", level="severe"),))
    assert matched_sessions(day, [yoga]) == ()
    assert [each.reason for each in matched_sessions(replace(day, pains=()), [yoga])] == ["cardio"]
    easy = replace(day, is_easy_week=True)
    assert [each.session.id for each in matched_sessions(easy, bundled_sessions())] == ["breathing"]


def test_a_recovery_session_whose_title_loads_a_painful_part_is_left_out() -> None:
    """Without known muscles "Row class" was taken for rest on a day with pain in the neck."""
    row = SPIN.model_copy(
        update={
            "id": "row",
            "title": "Row class",
            "kind": "recovery",
            "intensity": "easy",
            "muscles": (),
        }
    )
    day = replace(REST, trained=(), is_recovery_low=True)
    assert [each.session for each in matched_sessions(day, [row])] == [row]
    neck = Pain(part="neck", level="mild")
    assert matched_sessions(replace(day, pains=(neck,)), [row]) == ()


def test_what_loads_a_painful_part_is_left_out() -> None:
    knee = Pain(part="left knee", level="mild")
    assert matched(replace(WORKOUT, planned=("quadriceps",), pains=(knee,))) == []
    assert matched(replace(REST, pains=(Pain(part="ankle", level="mild"),)))[0] == (
        "hamstring-and-back-mobility",
        "mobility",
    )


@pytest.mark.parametrize("language", sorted(languages()))
def test_each_reason_has_a_text_in_every_language(language: str) -> None:
    with in_language(language):
        for reason in ("warm_up", "mobility", "cardio", "easy_week", "recovery"):
            found = MatchedSession(SPIN, reason, ("chest",), "Squat")  # type: ignore[arg-type]
            assert found.text.startswith("45 ")


muscles = st.lists(st.sampled_from(MUSCLES), unique=True, max_size=5).map(tuple)
sessions = st.lists(
    st.builds(
        Session,
        id=st.uuids().map(str),
        title=st.sampled_from(["Yoga", "Spinning", "Row class"]),
        kind=st.sampled_from(["mobility", "recovery", "cardio", "warm_up"]),
        minutes=st.integers(1, 240),
        intensity=st.sampled_from(["easy", "moderate", "hard"]),
        muscles=muscles,
    ),
    max_size=8,
)
pains = st.lists(
    st.builds(Pain, part=st.sampled_from(known_parts()), level=st.sampled_from(LEVELS)), max_size=2
).map(tuple)
days = st.builds(
    SessionDay,
    today=st.dates(date(2020, 1, 1), date(2030, 1, 1)),
    is_workout_day=st.booleans(),
    is_easy_week=st.booleans(),
    is_recovery_low=st.booleans(),
    has_cardio=st.booleans(),
    planned=muscles,
    first_exercise=st.sampled_from([None, "Squat (Barbell)"]),
    trained=muscles,
    minutes_left=st.none() | st.floats(-30, 60),
    pains=pains,
)


@given(days, sessions)
def test_nothing_hard_painful_or_too_long_ever_fits(day: SessionDay, own: list[Session]) -> None:
    found = matched_sessions(day, [*bundled_sessions(), *own])
    assert found == matched_sessions(day, [*reversed(own), *bundled_sessions()])
    assert len({each.reason for each in found}) == len(found) <= 2
    for each in found:
        session = each.session
        assert session.intensity != "hard"
        primary, *others = session.muscles or (None,)
        loading = Titled(session.title or "", primary, tuple(filter(None, others)))
        assert not any(load_on(pain.part, loading) for pain in day.pains)
        if each.reason == "warm_up":
            assert day.is_workout_day
            assert session.minutes <= 15
            assert day.minutes_left is None or session.minutes <= day.minutes_left
        if session.intensity == "moderate":
            assert not any((day.is_workout_day, day.trained))
            assert not any((day.is_easy_week, day.is_recovery_low))
        if each.reason in {"mobility", "cardio"}:
            assert not day.is_workout_day
