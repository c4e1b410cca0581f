"""Pain: which exercises load a painful part, what may replace them, and how it is written."""

from dataclasses import dataclass

import pytest

from coach_agent.domain.pain import (
    A_LOT,
    SOMEWHAT,
    Pain,
    PainError,
    known_parts,
    load_on,
    may_replace,
    parse_pain,
    trainable,
    worst_pain,
)
from orchestration.services.programmes.exercise_catalogue import (
    built_in_titles,
)


@pytest.mark.parametrize(
    ("text", "part", "level"),
    [
        ("right shoulder:moderate", "right shoulder", "moderate"),
        ("left hamstring:severe", "left hamstring", "severe"),
        ("quads:moderate", "quads", "moderate"),
        ("  My  Left KNEE : Severe ", "my left knee", "severe"),
        ("back:mild", "back", "mild"),
    ],
)
def test_a_part_and_how_bad_it_is(text: str, part: str, level: str) -> None:
    assert parse_pain(text) == Pain.model_validate({"part": part, "level": level})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("shoulder", "write the part and how bad it is"),
        ("shoulder:bad", "the level must be one of mild, moderate, severe"),
        ("sholder:mild", "did you mean 'shoulder'"),
        ("xyz:mild", "such as .right shoulder., of neck, .*, foot$"),
        (":mild", "must be a part of the body"),
    ],
)
def test_what_was_not_understood_is_told(text: str, told: str) -> None:
    with pytest.raises(PainError, match=told):
        parse_pain(text)


@dataclass(frozen=True)
class Exercise:
    exercise_title: str
    primary_muscle_group: str | None = None
    secondary_muscle_groups: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("part", "title", "load"),
    [
        ("neck", "Squat (Barbell)", A_LOT),
        ("neck", "Overhead Press (Barbell)", SOMEWHAT),
        ("neck", "Bent Over Row (Barbell)", SOMEWHAT),
        ("neck", "Chest Supported Incline Row (Dumbbell)", 0),
        ("neck", "Leg Press (Machine)", 0),
        ("right shoulder", "Bench Press (Barbell)", A_LOT),
        ("right shoulder", "Push Up", SOMEWHAT),
        ("shoulder", "Squat (Barbell)", 0),
        ("shoulder", "Low Bar Squat", A_LOT),
        ("shoulder", "Triceps Pushdown", 0),
        ("lower back", "Deadlift (Barbell)", A_LOT),
        ("lower back", "Leg Press (Machine)", SOMEWHAT),
        ("lower back", "Belt Squat (Machine)", 0),
        ("my left knee", "Leg Extension (Machine)", A_LOT),
        ("knee", "Lying Leg Curl (Machine)", SOMEWHAT),
        ("wrists", "Push Up", A_LOT),
        ("chest", "Chest Fly (Machine)", A_LOT),
        ("biceps", "Chin Up", SOMEWHAT),
        ("biceps", "Deadlift (Barbell)", SOMEWHAT),
        ("calf", "Seated Calf Raise", A_LOT),
        ("foot", "Bench Press (Barbell)", 0),
    ],
)
def test_load_of_an_exercise_by_its_title(part: str, title: str, load: int) -> None:
    """Neck pain let squats and presses go up: their muscles do not include the neck."""
    assert load_on(part, Exercise(title)) == load


@pytest.mark.parametrize(
    ("part", "exercise", "load"),
    [
        ("elbow", Exercise("My lift", "quadriceps", ("biceps",)), SOMEWHAT),
        ("biceps", Exercise("My lift", "biceps"), A_LOT),
        ("neck", Exercise("Seated Cable Row - Bar Wide Grip", "upper_back", ("traps",)), SOMEWHAT),
        ("wrist", Exercise("My lift", "lower_back"), SOMEWHAT),
        ("calf", Exercise("My lift", "quadriceps"), 0),
        ("foot", Exercise("My lift", "full_body"), SOMEWHAT),
        ("foot", Exercise("Muscle Up", "full_body"), SOMEWHAT),
        ("foot", Exercise("My lift"), 0),
        ("hamstring", Exercise("Running", "cardio"), SOMEWHAT),
        ("abdomen", Exercise("Cable Crunch", "abdominals"), A_LOT),
    ],
)
def test_muscles_count_beside_the_movement(part: str, exercise: Exercise, load: int) -> None:
    assert load_on(part, exercise) == load


# By region: exercises that load it a lot, those that load it somewhat, and usual alternatives.
REGIONS: dict[str, tuple[str, str, str]] = {
    "neck": (
        "Shrug (Dumbbell); Squat (Barbell); Lunge (Barbell); Good Morning (Barbell); Farmers Walk; "
        "Behind the Neck Press; Lat Pulldown Behind Neck; Lying Neck Extension",
        "Overhead Press (Barbell); Lateral Raise (Dumbbell); Deadlift (Barbell); Crunch; "
        "Bent Over Row (Barbell); Dumbbell Row; Front Squat",
        "Belt Squat (Machine); Leg Press (Machine); Chest Supported Incline Row (Dumbbell); "
        "Chest Press (Machine); Lat Pulldown (Cable); Safety Bar Squat",
    ),
    "shoulder": (
        "Chest Dip; Triceps Dip; Bench Press - Wide Grip (Barbell); Overhead Press (Dumbbell); "
        "Behind the Neck Press; Upright Row (Barbell); Chest Fly (Dumbbell); Low Bar Squat",
        "Push Up; Incline Bench Press (Barbell); Lateral Raise (Cable); Pull Up; "
        "Front Raise (Dumbbell); Face Pull; Rear Delt Reverse Fly (Machine)",
        "Bench Press (Dumbbell); Floor Press (Barbell); Bench Press - Close Grip (Barbell); "
        "Single Arm Landmine Press (Barbell); Seated Shoulder Press (Machine); "
        "Seated Cable Row - V Grip (Cable); Lat Pulldown - Close Grip (Cable); High Bar Squat; "
        "Safety Bar Squat",
    ),
    "elbow": (
        "Skullcrusher (Barbell); Overhead Triceps Extension (Cable); Chin Up; "
        "Bicep Curl (Barbell); Wide Pull Up",
        "Bench Press (Barbell); Chest Dip; Bent Over Row (Barbell); Triceps Pushdown; "
        "Low Bar Squat; Deadlift (Barbell); Shrug (Barbell)",
        "Hammer Curl (Dumbbell); Triceps Rope Pushdown; Seated Row (Machine)",
    ),
    "wrist": (
        "Push Up; Front Squat; Bicep Curl (Barbell); Power Clean; Bench Press (Barbell)",
        "Overhead Press (Barbell); Deadlift (Barbell); Plank",
        "Bench Press (Dumbbell); EZ Bar Biceps Curl; Forearm Plank; Chest Press (Machine)",
    ),
    "upper back": (
        "Deadlift (Barbell); Bent Over Row (Barbell); Shrug (Barbell); Farmers Walk",
        "Pull Up; Overhead Press (Barbell); Bench Press (Barbell); Squat (Barbell); "
        "Good Morning (Barbell)",
        "Chest Supported Incline Row (Dumbbell); Lat Pulldown (Cable); Chest Press (Machine); "
        "Leg Press (Machine)",
    ),
    "lower back": (
        "Deadlift (Barbell); Bent Over Row (Barbell); Good Morning (Barbell); "
        "Romanian Deadlift (Barbell); Squat (Barbell); Kettlebell Swing; Sit Up (Weighted); "
        "Sumo Deadlift",
        "Overhead Press (Barbell); Leg Press (Machine); Hanging Leg Raise; Farmers Walk; "
        "Hack Squat (Machine); Lunge (Dumbbell); Standing Calf Raise (Barbell); Shrug (Barbell); "
        "Goblet Squat; Kettlebell Goblet Squat; Pistol Squat",
        "Hip Thrust (Barbell); Seated Leg Curl (Machine); Belt Squat (Machine); "
        "Deadlift (Trap bar); Rack Pull; Chest Supported Incline Row (Dumbbell); "
        "Bird Dog; Side Plank",
    ),
    "hip": (
        "Squat (Barbell); Sumo Deadlift; Lunge (Dumbbell); Hanging Leg Raise; Leg Press (Machine)",
        "Deadlift (Barbell); Step Up; Hip Thrust (Barbell)",
        "Box Squat (Barbell); Rack Pull; Seated Leg Curl (Machine); Romanian Deadlift (Barbell)",
    ),
    "groin": (
        "Sumo Deadlift; Sumo Squat (Barbell); Lateral Lunge; Walking Lunge; "
        "Hip Adduction (Machine); Copenhagen Plank; Sprints",
        "Leg Press (Machine); Romanian Deadlift (Barbell); Deadlift (Trap bar); Running; "
        "Squat (Barbell); Hanging Leg Raise; Single Leg Romanian Deadlift (Dumbbell); Step Up",
        "Box Squat (Barbell); Leg Extension (Machine); Seated Leg Curl (Machine)",
    ),
    "knee": (
        "Squat (Barbell); Lunge (Dumbbell); Bulgarian Split Squat; Leg Extension (Machine); "
        "Box Jump; Sissy Squat (Weighted)",
        "Step Up; Leg Press (Machine); Front Squat; Stair Machine (Steps)",
        "Box Squat (Barbell); Romanian Deadlift (Barbell); Hip Thrust (Barbell); "
        "Seated Leg Curl (Machine); Reverse Lunge (Dumbbell); Wall Sit",
    ),
    "ankle": (
        "Standing Calf Raise (Machine); Box Jump; Running; Squat (Barbell)",
        "Lunge (Dumbbell); Step Up; Front Squat",
        "Box Squat (Barbell); Leg Press (Machine); Hip Thrust (Barbell); Air Bike",
    ),
    "chest": (
        "Bench Press (Barbell); Chest Dip; Chest Fly (Machine); Push Up; Pullover (Dumbbell); "
        "Wide Pull Up; Zercher Squat",
        "Overhead Press (Barbell); Chest Supported Incline Row (Dumbbell); Farmers Walk; "
        "Low Bar Squat; Front Squat; Good Morning (Barbell); Bent Over Row (Barbell)",
        "Leg Press (Machine); Seated Cable Row - V Grip (Cable); Bicep Curl (Dumbbell); "
        "Incline Push Ups; Chest Press (Machine)",
    ),
    "abdomen": (
        "Squat (Barbell); Front Squat; Deadlift (Barbell); Romanian Deadlift (Barbell); "
        "Good Morning (Barbell); Kettlebell Swing; Farmers Walk; Suitcase Carry; Power Clean; "
        "Bent Over Row (Barbell)",
        "Leg Press (Machine); Hack Squat (Machine); Lunge (Barbell); Hip Thrust (Barbell); "
        "Overhead Press (Barbell); Pull Up; Push Up",
        "Leg Extension (Machine); Seated Leg Curl (Machine); Lat Pulldown (Cable); "
        "Chest Supported Incline Row (Dumbbell); Chest Press (Machine)",
    ),
}


@pytest.mark.parametrize("region", REGIONS)
def test_the_table_has_the_listed_exercises_of_each_region(region: str) -> None:
    """Muscles do not contradict the list: a lateral raise trains the shoulders most."""
    a_lot, somewhat, alternatives = (each.split("; ") for each in REGIONS[region])
    muscles = ("shoulders", ("traps", "upper_back", "lower_back", "chest"))
    for title, load in [
        *((each, A_LOT) for each in a_lot),
        *((each, SOMEWHAT) for each in somewhat),
    ]:
        assert (title, load_on(region, Exercise(title))) == (title, load)
        assert (title, load_on(region, Exercise(title, *muscles))) == (title, load)
    moderate = Pain(part=region, level="moderate")
    for title in alternatives:
        assert (title, may_replace([moderate], Exercise(title, *muscles))) == (title, True)
    severe = Pain(part=region, level="severe")
    assert not any(may_replace([severe], Exercise(each)) for each in (*a_lot, *somewhat))


def test_nearly_every_built_in_exercise_has_a_known_movement() -> None:
    """For an unknown movement, wide lists of muscle groups are the fallback."""
    unknown = {
        title
        for title in built_in_titles()
        if not any(load_on(part, Exercise(title)) for part in known_parts())
    }
    assert unknown == {
        *("Ball Slams", "Downward Dog", "Pilates", "Sled Push", "Stretching", "Swimming"),
        *("Warm Up", "Yoga"),
    }


def test_a_substitute_spares_what_hurts() -> None:
    shoulder = Pain(part="right shoulder", level="severe")
    assert not may_replace([shoulder], Exercise("Push Up"))
    assert may_replace([shoulder], Exercise("Leg Press (Machine)"))
    moderate = shoulder.model_copy(update={"level": "moderate"})
    assert may_replace([moderate], Exercise("Push Up"))
    assert not may_replace([moderate], Exercise("Chest Dip"))


def test_common_exercises_that_spare_every_painful_part() -> None:
    shoulder = Pain(part="shoulder", level="severe")
    knee = Pain(part="knee", level="severe")
    assert trainable([shoulder]) == (
        *("Leg Press (Machine)", "Seated Leg Curl (Machine)", "Leg Extension (Machine)"),
    )
    assert trainable([shoulder, knee])[0] == "Chest Supported Incline Row (Dumbbell)"
    assert trainable([Pain(part="abdomen", level="severe")]) == (
        *("Seated Leg Curl (Machine)", "Leg Extension (Machine)"),
        "Chest Supported Incline Row (Dumbbell)",
    )


def test_the_worst_counts_and_of_equals_the_first_by_name() -> None:
    press = Exercise("Bench Press (Barbell)", "chest")
    mild, bad, as_bad = (
        Pain(part="chest", level="mild"),
        Pain(part="shoulder", level="severe"),
        Pain(part="left shoulder", level="severe"),
    )
    assert worst_pain([mild, bad], press) == bad
    assert worst_pain([mild, bad, as_bad], press) == as_bad
    assert worst_pain([as_bad, bad, mild], press) == as_bad


def test_levels_are_in_order() -> None:
    moderate = Pain(part="hip", level="moderate")
    assert [moderate.is_at_least(each) for each in ("mild", "moderate", "severe")] == [
        True,
        True,
        False,
    ]
