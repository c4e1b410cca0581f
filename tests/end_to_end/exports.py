"""Synthetic exports of Hevy."""

from datetime import date, timedelta

HEADER = (
    '"title","start_time","end_time","description","exercise_title","superset_id",'
    '"exercise_notes","set_index","set_type","weight_kg","reps","distance_km",'
    '"duration_seconds","rpe"\n'
)

_DAYS = (("Push", "Bench Press (Barbell)"), ("Pull", "Bent Over Row (Barbell)"))


def push_and_pull(first: date) -> str:
    """Build six workouts from this day on, every third day: push and pull in turn, rising loads."""
    lines = [
        "title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,"
        "set_type,weight_kg,reps,distance_km,duration_seconds,rpe"
    ]
    for number in range(6):
        day = f"{first + timedelta(days=3 * number):%d %b %Y}"
        title, exercise = _DAYS[number % 2]
        load = 60 + 2.5 * (number // 2)
        lines += [
            f'"{title}","{day}, 18:00","{day}, 18:50","","{exercise}",,"",{index},"normal",'
            f"{load},8,,,"
            for index in range(3)
        ]
    return "\n".join(lines) + "\n"
