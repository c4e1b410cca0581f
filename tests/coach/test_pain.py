import pytest

from coach_agent.pain import Pain, PainError, parse_pain, worst_pain


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


@pytest.mark.parametrize(
    ("part", "groups", "is_loaded"),
    [
        ("right shoulder", {"shoulders"}, True),
        ("shoulder", {"chest"}, True),
        ("shoulder", {"lats"}, True),
        ("knees", {"quadriceps"}, True),
        ("lower back", {"upper_back"}, True),
        ("lower back", {"shoulders"}, True),
        ("wrist", {"lower_back"}, True),
        ("calf", {"quadriceps"}, False),
        ("back", {"lats"}, False),
        ("left elbow", {"quadriceps", "biceps"}, True),
        ("foot", {"full_body"}, True),
        ("foot", {""}, False),
    ],
)
def test_muscles_that_load_a_part(part: str, groups: set[str], is_loaded: bool) -> None:
    pain = Pain(part=part, level="mild")
    assert worst_pain([pain], groups) == (pain if is_loaded else None)


def test_the_worst_counts_and_of_equals_the_first_by_name() -> None:
    mild, bad, as_bad = (
        Pain(part="chest", level="mild"),
        Pain(part="shoulder", level="severe"),
        Pain(part="left shoulder", level="severe"),
    )
    assert worst_pain([mild, bad], {"chest"}) == bad
    assert worst_pain([mild, bad, as_bad], {"chest"}) == as_bad
    assert worst_pain([as_bad, bad, mild], {"chest"}) == as_bad


def test_levels_are_in_order() -> None:
    moderate = Pain(part="hip", level="moderate")
    assert [moderate.is_at_least(each) for each in ("mild", "moderate", "severe")] == [
        True,
        True,
        False,
    ]
