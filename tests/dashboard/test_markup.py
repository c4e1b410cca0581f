"""Texts of others never become markup."""

from dashboard.markup import element, join, picture

HOSTILE = '<img src=x onerror="a()">&'


def test_a_text_is_escaped_wherever_it_stands() -> None:
    inner = element("b", HOSTILE, title=HOSTILE)
    escaped = "&lt;img src=x onerror=&quot;a()&quot;&gt;&amp;"
    assert inner == f'<b title="{escaped}">{escaped}</b>'
    assert element("p", inner, class_="x") == f'<p class="x">{inner}</p>'
    assert join("<", inner) == f"&lt;{inner}"
    assert f'alt="{escaped}"' in picture(element("svg"), HOSTILE)
