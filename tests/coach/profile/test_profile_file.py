"""Lines of keys in a TOML file."""

from coach_agent.profile.toml_errors import key_lines


def test_each_key_is_found_on_its_line() -> None:
    text = "\n".join(
        [
            "# a comment = 1",
            "a = 1",
            'b.c = """',
            "x = 1",
            '"""',
            "[t.'quoted [key]']",
            "d = [",
            "  1, # ]",
            "]",
            '"e f" = { g = 1 }',
            "[ t . u ]",
            "h = '['",
            "i = 2",
            "[[ v ]]",
            "j = 1",
            "[v.w]",
            "k = 1",
            "[[v]]",
            "[[v.w]]",
            "k = 1",
            "[[v.w]]",
        ]
    )
    assert key_lines(text) == {
        ("a",): 2,
        ("b",): 3,
        ("b", "c"): 3,
        ("t",): 6,
        ("t", "quoted [key]"): 6,
        ("t", "quoted [key]", "d"): 7,
        ("t", "quoted [key]", "e f"): 10,
        ("t", "u"): 11,
        ("t", "u", "h"): 12,
        ("t", "u", "i"): 13,
        ("v",): 14,
        ("v", 0): 14,
        ("v", 0, "j"): 15,
        ("v", 0, "w"): 16,
        ("v", 0, "w", "k"): 17,
        ("v", 1): 18,
        ("v", 1, "w"): 19,
        ("v", 1, "w", 0): 19,
        ("v", 1, "w", 0, "k"): 20,
        ("v", 1, "w", 1): 21,
    }
