from calendar import day_name, month_name
from datetime import date, timedelta

from tests.warehouse.scratch import ScratchWarehouse


def test_days_are_whole_years_around_all_that_the_marts_name(warehouse: ScratchWarehouse) -> None:
    """The earliest week begins on a Monday of the year before its workouts."""
    (needed,) = warehouse.rows(
        """
        select min(week_start_date) as first_day, max(workout_date) as last_day
        from marts.fct_workout
        """
    )
    days = [
        row["date_day"]
        for row in warehouse.rows("select date_day from marts.dim_date order by date_day")
    ]
    first, last = date(needed["first_day"].year, 1, 1), date(needed["last_day"].year, 12, 31)
    assert days == [first + timedelta(days=past) for past in range((last - first).days + 1)]


def test_each_day_is_described_as_the_calendar_has_it(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows("select * from marts.dim_date")
    assert rows
    for row in rows:
        assert row == _described(row["date_day"])


def _described(day: date) -> dict[str, object]:
    iso = day.isocalendar()
    first_month_of_quarter = (day.month - 1) // 3 * 3 + 1
    return {
        "date_key": day.isoformat(),
        "date_day": day,
        "week_start_date": day - timedelta(days=day.weekday()),
        "iso_year": iso.year,
        "iso_week": iso.week,
        "month_start_date": day.replace(day=1),
        "month_number": day.month,
        "month_name": month_name[day.month],
        "quarter_start_date": date(day.year, first_month_of_quarter, 1),
        "quarter_number": (day.month - 1) // 3 + 1,
        "year_number": day.year,
        "weekday_number": iso.weekday,
        "weekday_name": day_name[day.weekday()],
    }
