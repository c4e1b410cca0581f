"""For any routine, a publication changes exactly the plan's parts."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from coach_agent.domain.own_notes import own_texts, with_own
from coach_agent.domain.plan import Plan
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.schemas import JsonObject, Routine
from hevy_connector.simulator import LIVE, SPEC, Quirks
from hevy_connector.simulator.api.quirks import switch_values
from tests.coach.publishing_world import World, plan_with_heavier_sets, without_times
from tests.profiles import examples

# Those that have to do with routines, each switched alone to what the live service does not do.
ROUTINE_SWITCHES = (
    "routine_write_shape",
    "folder_shape",
    "routine_notes_on_read",
    "empty_notes",
    "null_rep_range",
    "put_omitted_notes",
    "put_folder_id",
    "open_rep_range",
    "null_post_notes",
    "undeclared_status",
)
TEMPLATES = sorted(template["id"] for template in built_in_templates())[:40]


def one_switched(called: str, profile: Quirks) -> Iterator[tuple[str, Quirks]]:
    for name in ROUTINE_SWITCHES:
        for value in switch_values()[name]:
            if value != getattr(profile, name):
                yield f"{called} but {name}={value}", replace(profile, **{name: value})


SERVICES = {
    "live": LIVE,
    "spec": SPEC,
    **dict(one_switched("live", LIVE)),
    **dict(one_switched("spec", SPEC)),
}

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=12
)
NOTES = st.one_of(
    st.just(""), TEXTS, st.just("[Spotter: from before]"), st.just("mine\n[Spotter: from before]\n")
)
LOADS = st.one_of(
    st.none(), st.sampled_from([0, 20.41168092460379, 61.23504277381137, 100, 2.5, 0.1])
)
COUNTS = st.one_of(st.none(), st.integers(0, 100))
RANGES = st.one_of(
    st.none(),
    st.fixed_dictionaries({"start": st.integers(1, 12), "end": st.none() | st.integers(12, 30)}),
)
SETS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["warmup", "normal", "failure", "dropset"]),
        "weight_kg": LOADS,
        "reps": COUNTS,
        "distance_meters": COUNTS,
        "duration_seconds": COUNTS,
        "custom_metric": COUNTS,
    },
    optional={"rep_range": RANGES},
)
EXERCISES = st.fixed_dictionaries(
    {
        "exercise_template_id": st.sampled_from(TEMPLATES),
        "superset_id": st.none() | st.integers(0, 2),
        "rest_seconds": st.none() | st.integers(0, 600),
        "notes": NOTES,
        "sets": st.lists(SETS, max_size=4),
    }
)
ROUTINES = st.fixed_dictionaries(
    {
        "title": TEXTS.filter(bool),
        "notes": NOTES,
        "exercises": st.lists(EXERCISES, max_size=5),
        "has_folder": st.booleans(),
    }
)


class Folder:
    """The app's request to create a folder."""

    title = "Winter block"


@pytest.fixture(scope="module", params=SERVICES)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    made = World(quirks=SERVICES[request.param])
    made.account.create_folder(Folder())  # type: ignore[arg-type]
    yield made
    made.close()


def placed(world: World, routine: JsonObject) -> tuple[JsonObject, Plan]:
    """The routine in the account, and a plan that changes nothing of it."""
    record = {name: value for name, value in routine.items() if name != "has_folder"}
    folder_id = world.account.folders()[0]["id"] if routine["has_folder"] else None
    made = world.account.make_routine({**record, "folder_id": folder_id})
    world.routine_id = made["id"]
    plan = plan_with_heavier_sets(world.hevy.routine(made["id"]), by_kg=0.0)
    return made, with_marks_kept(plan, made)


def with_marks_kept(plan: Plan, routine: JsonObject) -> Plan:
    """The plan with the words of ours that the routine has already."""
    slots = []
    for slot, exercise in zip(plan.slots, routine["exercises"], strict=True):
        text = next(iter(own_texts(exercise["notes"])), None)
        slots.append(slot.model_copy(update={"note": text}))
    return plan.model_copy(update={"slots": tuple(slots)})


def keeps_notes(world: World, routine: JsonObject) -> bool:
    """No client can keep a hidden field that a PUT without it clears."""
    quirks = world.simulated.quirks
    is_lost = quirks.routine_notes_on_read == "no" and quirks.put_omitted_notes == "clear"
    return not (is_lost and routine["notes"])


@examples(4, quick=1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(routine=ROUTINES)
def test_without_a_change_nothing_is_sent(world: World, routine: JsonObject) -> None:
    made, plan = placed(world, routine)
    before = len(world.puts())
    done = world.publish(plan=plan, plan_id=f"plan_{made['id']}", known=world.now_in_hevy())
    assert done.state == "unchanged"
    assert (world.account.routine(made["id"]), len(world.puts())) == (made, before)


@examples(4, quick=1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(routine=ROUTINES, data=st.data())
def test_with_a_change_only_what_is_planned_changes(
    world: World, routine: JsonObject, data: st.DataObject
) -> None:
    made, plan = placed(world, routine)
    expected = json.loads(json.dumps(made))
    slots = []
    for slot, exercise in zip(plan.slots, expected["exercises"], strict=True):
        note = data.draw(st.none() | st.just("Go up."))
        exercise["notes"] = with_own(exercise["notes"], note, ()) or ""
        sets = []
        for target, stored in zip(slot.sets, exercise["sets"], strict=True):
            load = data.draw(st.sampled_from([target.weight_kg, 42.5, None]))
            reps = data.draw(st.sampled_from([target.reps, 7]))
            sets.append(target.model_copy(update={"weight_kg": load, "reps": reps}))
            stored.update(weight_kg=load, reps=reps)
        slots.append(slot.model_copy(update={"sets": tuple(sets), "note": note}))
    plan = plan.model_copy(update={"slots": tuple(slots)})
    known = world.now_in_hevy()
    done = world.publish(plan=plan, plan_id=f"plan_{made['id']}", known=known)
    stored = world.account.routine(made["id"])
    if done.state == "published" and not keeps_notes(world, made):
        expected["notes"] = ""
    assert done.state == ("published" if done.changes else "unchanged")
    assert comparable(stored) == comparable(expected)
    again = world.publish(plan=plan, plan_id=f"plan_{made['id']}", known=known)
    assert (again.state, again.is_new) == (done.state, False)


@examples(4, quick=1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(routine=ROUTINES)
def test_a_rollback_restores_all_of_it(world: World, routine: JsonObject) -> None:
    made, plan = placed(world, routine)
    slots = (slot.model_copy(update={"note": "Go up."}) for slot in plan.slots)
    plan = plan.model_copy(update={"slots": tuple(slots)})
    known = world.now_in_hevy()
    done = world.publish(plan=plan, plan_id=f"plan_{made['id']}", known=known)
    if done.state == "published":
        world.publisher().roll_back(done, "kg", is_dry_run=False)
    if done.state == "published" and not keeps_notes(world, made):
        made = {**made, "notes": ""}
    assert comparable(world.account.routine(made["id"])) == comparable(made)


def comparable(routine: JsonObject) -> JsonObject:
    """Without the time of change; where there is no range, it may be written as nothing."""
    found: JsonObject = json.loads(json.dumps(without_times(routine)))
    for exercise in found["exercises"]:
        for each in exercise["sets"]:
            if each.get("rep_range") is None:
                each.pop("rep_range", None)
    return found


def test_the_plan_of_a_test_covers_the_routine() -> None:
    """A plan that left something out would prove nothing."""
    world = World()
    routine = Routine.model_validate(world.before)
    assert [len(slot.sets) for slot in world.plan.slots] == [
        len(exercise.sets) for exercise in routine.exercises
    ]
    world.close()
