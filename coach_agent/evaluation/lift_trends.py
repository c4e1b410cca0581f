"""Convert a computed trend to the mart's trend of an exercise."""

from coach_agent.domain.context import LiftTrend
from coach_agent.engine.forecast.trend import Trend


def as_mart(trend: Trend | None) -> LiftTrend:
    """Return the trend without the mart's other columns: RPE, repetitions and false alarms."""
    if trend is None:
        return LiftTrend(verdict="insufficient")
    return LiftTrend(
        verdict=trend.verdict,
        slope_pct=trend.slope_pct,
        lower_pct=trend.lower_pct,
        upper_pct=trend.upper_pct,
        standard_error_pct=trend.standard_error_pct,
        residual_pct=trend.residual_pct,
        exposure_count=trend.exposure_count,
    )
