"""`make evaluate`: writes docs/forecasts.md from a backtest over the real training logs."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from coach_agent.evaluation.report import fifths
from orchestration.cli.views.backtest import headline, markdown
from tests.coach.evaluation.left_out import measured
from tests.coach.evaluation.left_out import table as left_out_table
from tests.coach.evaluation.real_logs import LOGS, real_backtest

PAGE = Path(__file__).parents[3] / "docs" / "forecasts.md"
BEGIN, END = "<!-- make evaluate writes this -->", "<!-- up to here -->"

CAVEAT = (
    "The constants of the engine were chosen on these lifters: on others expect somewhat larger "
    "errors. For each lifter left out, with the constants that are best for the others:"
)


def table() -> str:
    """Return the comparison of forecasts, without the lifters left out."""
    return markdown(headline(real_backtest())).strip()


def with_left_out() -> str:
    """Return the lines between the marks."""
    rows = left_out_table(measured(), _largest_error)
    return "\n".join((table(), "", CAVEAT, "", *rows))


def _largest_error(chances: Sequence[tuple[float, bool]]) -> float:
    errors = [each.error for each in fifths(chances) if each.is_tested and each.error is not None]
    return max(errors)


def between_marks(text: str) -> str:
    """Return the text between the marks.

    Raises:
        ValueError: the marks are not there once each and in order.
    """
    found = re.findall(rf"{BEGIN}\n(.*?)\n{END}", text, flags=re.S)
    if len(found) != 1:
        raise ValueError(f"{PAGE} needs {BEGIN} and {END} once each.")
    return str(found[0])


def main() -> None:
    if not LOGS.exists():
        sys.exit(f"The training logs are not at {LOGS.resolve()}: the table stays as it is.")
    text = PAGE.read_text(encoding="utf-8")
    before, after = between_marks(text), with_left_out()
    PAGE.write_text(text.replace(f"{BEGIN}\n{before}\n{END}", f"{BEGIN}\n{after}\n{END}"))


if __name__ == "__main__":
    main()
