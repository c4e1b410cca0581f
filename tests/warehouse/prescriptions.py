"""Three published plans of one athlete: one trained twice, one pending, one replaced."""

from datetime import timedelta

from coach_agent.domain.plan import CoachWords, Plan, SetPrescription, SlotPrescription
from tests.warehouse.payloads import Json, at, exercise, lift, ranged, routine, template, workout
from tests.warehouse.scratch import ScratchWarehouse

ATHLETE = "prescribed"
SORE = "sore"
EXCHANGED = "exchanged"
COPIED = "copied"
REBASED = "rebased"

# The plan of the routine `push`, and its first workout.
PLANNED_BENCH = [
    lift(60, 5, "warmup"),
    lift(100, 5),
    lift(100, 5),
    ranged(90, 8, 12),
    ranged(90, 8, 12) | {"reps": 10},
]
PLANNED_PULL_UP = [ranged(None, 6, 10) | {"reps": 8}] * 2
DONE_BENCH = [lift(60, 5, "warmup"), lift(102.5, 5, rpe=8), lift(100, 4), lift(90, 9), lift(90, 10)]
DONE_PULL_UP = [lift(None, 12)]


def land_prescriptions(warehouse: ScratchWarehouse) -> None:
    """Land plans, their publications and the workouts, from 2026-03-13 to 2026-03-19."""
    catalogue = [template("bench"), template("pull up", "bodyweight_reps")]
    warehouse.land("hevy_exercise_templates", ATHLETE, catalogue, now=at("2026-03-13 12:00"))
    push = [exercise("bench", PLANNED_BENCH), exercise("pull up", PLANNED_PULL_UP)]
    bench = [exercise("bench", [lift(105, 5)])]
    _publish(warehouse, "push plan", routine("push", "2026-03-14 09:00:02", push))
    _publish(warehouse, "legs plan", routine("legs", "2026-03-14 10:00:02", bench))
    _publish(warehouse, "pull plan", routine("pull", "2026-03-14 11:00:02", bench))

    edited = routine("legs", "2026-03-15 09:00", [exercise("bench", [lift(70, 5)])])
    warehouse.land("hevy_routines", ATHLETE, [edited], now=at("2026-03-15 10:00"))
    first = [exercise("bench", DONE_BENCH), exercise("pull up", DONE_PULL_UP)]
    warehouse.land(
        "hevy_workouts",
        ATHLETE,
        [
            workout("second push", "2026-03-18 17:00", push, routine_id="push"),
            workout("first push", "2026-03-16 17:00", first, routine_id="push"),
            workout("edited legs", "2026-03-17 17:00", bench, routine_id="legs"),
        ],
        now=at("2026-03-19 06:00"),
    )


def land_omission(warehouse: ScratchWarehouse) -> None:
    """Land a trained routine of two exercises, then a publication without the first one."""
    bench = exercise("bench", [lift(100, 5)], rest_seconds=150, notes="elbows in")
    curl = exercise("curl", [lift(20, 10)])
    whole = routine("arms", "2026-03-10 09:00", [bench, curl])
    warehouse.land("hevy_routines", SORE, [whole], now=at("2026-03-10 12:00"))
    done = workout("before it hurt", "2026-03-12 17:00", [bench, curl], routine_id="arms")
    warehouse.land("hevy_workouts", SORE, [done], now=at("2026-03-13 06:00"))
    left = plan_of(SORE, whole)
    without = left.slots[0].model_copy(
        update={"sets": (), "rest_s": 150, "notes": "elbows in", "whole_sets": left.slots[0].sets}
    )
    plan = left.model_copy(update={"slots": (without, left.slots[1])})
    _publish(warehouse, "plan without", routine("arms", "2026-03-13 09:00:02", [curl]), plan)

    # An unpublished easy plan that was followed.
    easy = routine("arms", "2026-03-14 09:00", [exercise("curl", [lift(17.5, 10)])])
    told = plan_of(SORE, easy)
    light = told.slots[0].model_copy(update={"is_easy": True})
    told = told.model_copy(update={"slots": (light,), "deload": "asked"})
    warehouse.record_plan("easy plan", told, at("2026-03-14 09:00"))
    followed = workout("easy day", "2026-03-14 17:00", easy["exercises"], routine_id="arms")
    warehouse.land("hevy_workouts", SORE, [followed], now=at("2026-03-15 06:00"))


def land_exchange(warehouse: ScratchWarehouse) -> None:
    """Land a trained routine, then a model's plan with a fly instead of the bench.

    For the curl the model's target was below the engine's, and more was done than either.
    """
    bench = exercise("bench", [lift(100, 5)], rest_seconds=150, notes="elbows in")
    curl = exercise("curl", [lift(20, 10)])
    fly = exercise("fly", [lift(15, 12)], rest_seconds=150)
    whole = routine("arms", "2026-03-10 09:00", [bench, curl])
    warehouse.land("hevy_routines", EXCHANGED, [whole], now=at("2026-03-10 12:00"))
    before = workout("with the bench", "2026-03-12 17:00", [bench, curl], routine_id="arms")
    warehouse.land("hevy_workouts", EXCHANGED, [before], now=at("2026-03-13 06:00"))
    engines = plan_of(EXCHANGED, whole)
    warehouse.record_plan("rules arms", engines, at("2026-03-13 08:00"))

    written = routine("arms", "2026-03-13 09:00:02", [fly, exercise("curl", [lift(20, 9)])])
    own, _ = engines.slots
    stand_in, lighter = plan_of(EXCHANGED, written).slots
    out = {"sets": (), "whole_sets": own.sets, "rest_s": 150, "notes": "elbows in"}
    slots = (
        own.model_copy(update=out),
        stand_in.model_copy(
            update={
                "exercise_index": 1,
                "moved_from": 0,
                "rest_s": 150,
                "types_in_hevy": (),
                "replaces": own.place,
            }
        ),
        lighter.model_copy(update={"exercise_index": 2, "moved_from": 1}),
    )
    words = CoachWords(decided_by="google:flash", prompt_version="p1", summary="A fly today.")
    models = engines.model_copy(update={"slots": slots, "words": words})
    _publish(warehouse, "model arms", written, models)
    warehouse.record_answer("rules arms", "model arms", models, at("2026-03-13 08:00"))
    done = [fly, exercise("curl", [lift(20, 11)])]
    after = workout("with the fly", "2026-03-14 17:00", done, routine_id="arms")
    warehouse.land("hevy_workouts", EXCHANGED, [after], now=at("2026-03-15 06:00"))


def land_copy(warehouse: ScratchWarehouse) -> None:
    """Land a plan that was published as a copy of its routine, and a workout of the copy."""
    press = [exercise("press", [lift(50, 5)])]
    heavier = [exercise("press", [lift(52.5, 5)])]
    original = routine("upper", "2026-03-10 09:00", press)
    warehouse.land("hevy_routines", COPIED, [original], now=at("2026-03-10 12:00"))
    before = workout("from the original", "2026-03-11 17:00", press, routine_id="upper")
    warehouse.land("hevy_workouts", COPIED, [before], now=at("2026-03-12 06:00"))
    copy = routine("upper of the day", "2026-03-12 07:00:02", heavier)
    plan = plan_of(COPIED, {**original, "exercises": copy["exercises"]})
    warehouse.record_plan("copied plan", plan, at("2026-03-12 06:30"))
    warehouse.record_publication(
        COPIED, "copied plan", copy, at("2026-03-12 07:00"), routine_id="upper"
    )
    warehouse.land(
        "hevy_routines",
        COPIED,
        [copy],
        now=at("2026-03-12 07:01"),
        origin="publication",
        is_complete=False,
    )
    after = workout("from the copy", "2026-03-13 17:00", heavier, routine_id="upper of the day")
    warehouse.land("hevy_workouts", COPIED, [after], now=at("2026-03-14 06:00"))


def land_rebased(warehouse: ScratchWarehouse) -> None:
    """Land a plan that was rebased on sets added and removed by the athlete."""
    decided = routine(
        "pull",
        "2026-03-10 09:00",
        [
            exercise("bench", [lift(100, 5)] * 2),
            exercise("curl", [lift(20, 10), lift(22.5, 8), lift(25, 6)]),
        ],
    )
    bench = [lift(60, 8, "warmup"), lift(80, 5), lift(100, 5), lift(100, 5)]
    curl = [lift(22.5, 8), lift(25, 6)]
    written = [exercise("bench", bench), exercise("curl", curl)]
    _publish(
        warehouse,
        "rebased plan",
        routine("pull", "2026-03-10 10:00:02", written),
        plan_of(REBASED, decided),
    )
    done = [
        exercise("bench", [*bench[:2], lift(100, 5), lift(100, 3)]),
        exercise("curl", [lift(22.5, 9), lift(25, 6)]),
    ]
    trained = workout("rebased pull", "2026-03-11 17:00", done, routine_id="pull")
    warehouse.land("hevy_workouts", REBASED, [trained], now=at("2026-03-12 06:00"))


def _publish(
    warehouse: ScratchWarehouse, plan_id: str, published: Json, plan: Plan | None = None
) -> None:
    """Decide, publish and read back, within seconds of the routine's time of change."""
    plan = plan or plan_of(ATHLETE, published)
    seen_at = at(published["updated_at"].removesuffix("+00:00"))
    effective_at = seen_at - timedelta(seconds=2)
    warehouse.record_plan(plan_id, plan, effective_at - timedelta(hours=1))
    warehouse.record_publication(plan.athlete_id, plan_id, published, effective_at)
    warehouse.land(
        "hevy_routines",
        plan.athlete_id,
        [published],
        now=seen_at + timedelta(seconds=1),
        origin="publication",
    )


def plan_of(athlete: str, published: Json) -> Plan:
    """Build the plan with the content of the routine."""
    return Plan(
        athlete_id=athlete,
        routine_id=published["id"],
        routine_title=published["title"],
        rule_version="1.test",
        summary="as written",
        slots=tuple(
            SlotPrescription(
                exercise_index=one["index"],
                occurrence=1,
                exercise_template_id=one["exercise_template_id"],
                exercise_title=one["title"],
                rule="a rule",
                reason_codes=("a_code",),
                reason="A reason.",
                sets=tuple(_set(planned) for planned in one["sets"]),
            )
            for one in published["exercises"]
        ),
    )


def _set(planned: Json) -> SetPrescription:
    rep_range = planned.get("rep_range") or {"start": None, "end": None}
    return SetPrescription(
        set_index=planned["index"],
        set_type=planned["type"],
        weight_kg=planned["weight_kg"],
        reps=planned["reps"],
        rep_range_start=rep_range["start"],
        rep_range_end=rep_range["end"],
    )
