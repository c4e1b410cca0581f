"""The table of an exercise's sets on the page Today."""

import pytest

from coach_agent.domain.plan import Prediction, SetPrescription, SlotPrescription
from dashboard.views.today import set_rows


@pytest.mark.parametrize(("is_easy", "chance"), [(False, "90% (6.0-9.0)"), (True, "")])
def test_only_sets_that_the_day_does_not_make_easier_have_a_chance(
    is_easy: bool, chance: str
) -> None:
    slot = SlotPrescription(
        exercise_index=0,
        occurrence=1,
        exercise_template_id="X",
        exercise_title="Squat",
        exercise_type="weight_reps",
        rule="hold",
        reason_codes=(),
        reason="Same again.",
        sets=(SetPrescription(set_index=0, set_type="normal", weight_kg=80, reps=8),),
        predictions=(Prediction(reps=8, low=6, high=9, p_success=0.9, n=9),),
        is_easy=is_easy,
        direction="same",
    )
    ((_, prescribed, shown, last),) = (tuple(row.values()) for row in set_rows(slot, "kg"))
    assert (prescribed, shown, last) == ("8 @ 80 kg", chance, "")
