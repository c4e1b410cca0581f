"""Control characters in texts from external sources.

A terminal runs escape sequences in a title as commands: they rename the window, write to the
clipboard, or hide text.
"""

import re

# Complete sequences first (CSI, OSC and similar up to their end), then the rest of C0 and C1, DEL,
# line separators, and bidirectional marks. A sequence without an end hides no text behind it.
_CONTROLS = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*"
    r"(?:\x07|\x1b\\|\x9c|(?=[\x1b\x90\x98\x9d-\x9f]))"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def without_controls(text: str) -> str:
    """Remove all control characters except line breaks and tabs."""
    return _CONTROLS.sub("", text)
