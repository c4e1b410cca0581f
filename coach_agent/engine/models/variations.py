"""Harder variations of bodyweight exercises, for athletes at the top of their range."""

from collections.abc import Mapping

from coach_agent.domain.titles import normalize_title

# The next step, by Hevy's titles; from the ladders of bodyweight programmes, opinion.
_HARDER: Mapping[str, str] = {
    normalize_title(title): harder
    for title, harder in {
        "Negative Pull Up": "Pull Up",
        "Scapular Pull Ups": "Negative Pull Up",
        "Pull Up": "Pull Up (Weighted)",
        "Wide Pull Up": "Pull Up (Weighted)",
        "Ring Pull Up": "Pull Up (Weighted)",
        "Chin Up": "Chin Up (Weighted)",
        "Inverted Row": "Pull Up",
        "Incline Push Ups": "Push Up",
        "Kneeling Push Up": "Push Up",
        "Push Up": "Push Up (Weighted)",
        "Push Up - Close Grip": "Diamond Push Up",
        "Decline Push Up": "Push Up (Weighted)",
        "Diamond Push Up": "Triceps Dip",
        "Pike Pushup": "Handstand Push Up",
        "Bench Dip": "Triceps Dip",
        "Floor Triceps Dip": "Triceps Dip",
        "Triceps Dip": "Triceps Dip (Weighted)",
        "Chest Dip": "Chest Dip (Weighted)",
        "Squat (Bodyweight)": "Goblet Squat",
        "Lunge": "Lunge (Dumbbell)",
        "Walking Lunge": "Walking Lunge (Dumbbell)",
        "Reverse Lunge": "Reverse Lunge (Dumbbell)",
        "Step Up": "Dumbbell Step Up",
        "Assisted Pistol Squats": "Pistol Squat",
        "Glute Bridge": "Single Leg Glute Bridge",
        "Single Leg Glute Bridge": "Single Leg Hip Thrust",
        "Hip Thrust": "Hip Thrust (Barbell)",
        "Single Leg Hip Thrust": "Single Leg Hip Thrust (Dumbbell)",
        "Back Extension (Hyperextension)": "Back Extension (Weighted Hyperextension)",
        "Lying Knee Raise": "Lying Leg Raise",
        "Lying Leg Raise": "Hanging Knee Raise",
        "Knee Raise Parallel Bars": "Leg Raise Parallel Bars",
        "Hanging Knee Raise": "Hanging Leg Raise",
        "Hanging Leg Raise": "Toes to Bar",
        "Leg Raise Parallel Bars": "Toes to Bar",
        "Crunch": "Crunch (Weighted)",
        "Decline Crunch": "Decline Crunch (Weighted)",
        "Sit Up": "Sit Up (Weighted)",
        "Russian Twist (Bodyweight)": "Russian Twist (Weighted)",
        "Standing Calf Raise": "Single Leg Standing Calf Raise",
        "Single Leg Standing Calf Raise": "Single Leg Standing Calf Raise (Dumbbell)",
    }.items()
}


def harder_variation(title: str) -> str | None:
    """Return the next harder variation of a bodyweight exercise; None without a known one."""
    return _HARDER.get(normalize_title(title))
