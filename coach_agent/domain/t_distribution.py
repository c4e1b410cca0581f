"""Student's t: the reach of an interval from few values, in standard errors."""

from statistics import NormalDist

_CONFIDENCE = 0.95


def t_quantile(degrees: int, probability: float = (1 + _CONFIDENCE) / 2) -> float:
    """Return Student's t at a probability, to three digits from 8 degrees of freedom on.

    Source: Abramowitz and Stegun 1964, 26.7.5.
    """
    z = NormalDist().inv_cdf(probability)
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(degrees**power) for power, term in enumerate(terms, 1))
