"""Texts of others never become markup."""

from dashboard.markup import element, join, picture, whole_parts

HOSTILE = '<img src=x onerror="a()">&'


def test_a_text_is_escaped_wherever_it_stands() -> None:
    inner = element("b", HOSTILE, title=HOSTILE)
    escaped = "&lt;img src=x onerror=&quot;a()&quot;&gt;&amp;"
    assert inner == f'<b title="{escaped}">{escaped}</b>'
    assert element("p", inner, class_="x") == f'<p class="x">{inner}</p>'
    assert join("<", inner) == f"&lt;{inner}"
    assert f'alt="{escaped}"' in picture(element("svg"), HOSTILE)


def test_a_line_breaks_between_loads_and_not_within_one() -> None:
    """ "20 kg × 15; 80 kg × 10" was broken before the last "× 10"."""
    told = whole_parts("20 kg × 15; <80 kg> × 10")
    assert told == (
        '<span class="whole">20 kg × 15;</span> <span class="whole">&lt;80 kg&gt; × 10</span>'
    )
    assert whole_parts("24 reps") == '<span class="whole">24 reps</span>'
