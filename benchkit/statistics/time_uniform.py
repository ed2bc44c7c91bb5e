"""Intervals that hold at every look: of a mean that is looked at after each repetition, until it is decided.

A plain t interval that is looked at again and again leaves the truth out far more often than it says. What holds at
every number n of repetitions at once is the scale-invariant mixture of t statistics: with a normal prior of variance g
on the effect size (mean over standard deviation), the evidence against a mean of mu is the likelihood ratio

    E_n = (1 + n g)^(-1/2) ((1 + u) / (1 + u / (1 + n g)))^(n/2),    u = t^2 / (n - 1),  t = sqrt(n) (mean - mu) / s

(Hendriksen, de Heide and Grünwald 2021; Wang and Ramdas 2023). For normal differences E_n is a nonnegative martingale
of mean 1, so that it reaches 1 / alpha at any n with probability alpha at most (Ville's inequality).

Two guards, for differences that are not normal:

- *Skewness.* The statistic is also taken through Hall's transformation z + G z^2 / 3 + G^2 z^3 / 27 + G / (6 n), with
  z = t / sqrt(n) and the skewness G (Hall 1992, "On the removal of skewness by transformation"), and the weaker
  evidence of both counts. G is 1.75 times the sample's: small samples show less skewness than there is.
- *Ties.* Rates of error count rows, and four rows more widen their variance, as in
  `benchkit.statistics.sampling`. Other values decide nothing before `TIED_FROM` repetitions where fewer than
  `TIES` of them differ from the most frequent one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from benchkit.statistics.estimate import LEVEL, UNLIMITED, Estimate, Range, estimate
from benchkit.statistics.sampling import Sample, rounded

PRIOR = 0.25
"""Variance of the prior on the effect size, g: smaller narrows late intervals and widens early ones."""
TIES = 5
TIED_FROM = 20
_SKEWNESS = 1.75


@lru_cache(maxsize=4096)
def half_width(n: int, level: float = LEVEL) -> float:
    """Half the width of the interval that holds at every look, in standard deviations; infinite below seven values."""
    if n < 2:
        return math.inf
    prior = 1 + n * PRIOR
    log_ratio = (math.log(prior) - 2 * math.log(1 - level)) / n
    if log_ratio >= math.log(prior):
        return math.inf
    ratio = math.exp(log_ratio)
    return math.sqrt((n - 1) / n * (ratio - 1) / (1 - ratio / prior))


@lru_cache(maxsize=64)
def fewest(level: float = LEVEL) -> int:
    """Values below which the interval is infinite: seven for 95 %, more where a level is shared by many."""
    return next(n for n in range(2, 100_000) if math.isfinite(half_width(n, level)))


def log_evidence(z: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Logarithm of E_n, of n values or more than one; z, which may be infinite, is in standard deviations."""
    prior, u = 1 + n * PRIOR, n * z**2 / (n - 1)
    with np.errstate(invalid="ignore"):
        gain = np.where(np.isinf(u), np.log(prior), np.log1p(u) - np.log1p(u / prior))
    return np.asarray(-0.5 * np.log(prior) + n / 2 * gain)


class _Path(NamedTuple):
    """Statistics of the first n values, for each n from 2 on; arrays of shape (..., n_values - 1), n of the last."""

    n: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    skewness: np.ndarray

    def at(self, chosen: np.ndarray | slice) -> _Path:
        return _Path(*(array[chosen] for array in self))


def path_of(values: np.ndarray, row_variance: float = 0.0) -> _Path:
    """Mean, standard deviation and skewness of every beginning of a sample, or of several of shape (..., n_values).

    ``row_variance`` is of the mean of all, from rows that are added; it falls with the square of the number of values.
    """
    # Sums of powers lose digits where the mean is far from zero; spread and skewness do not depend on the origin.
    origin, count = values[..., :1], values.shape[-1]
    centred = values - origin
    n = np.arange(1, count + 1, dtype=float)
    mean, square, cube = (np.cumsum(centred**power, axis=-1) / n for power in (1, 2, 3))
    variance = np.maximum(square - mean**2, 0.0)
    variance[variance <= 1e-14 * square] = 0.0
    third = cube - 3 * mean * square + 2 * mean**3
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.where(variance > 0, third / variance**1.5, 0.0)
        widened = variance * n / (n - 1) + row_variance * count**2 / n
    return _Path(*(array[..., 1:] for array in (n, mean + origin, np.sqrt(widened), _SKEWNESS * skewness)))


def common_intervals(path: _Path, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Ends of what the intervals after each number of values so far have in common; arrays as in the path.

    Of each the limits have z, or its Hall transform, within the half-width. Where two intervals would exclude each
    other, the earlier one stands.
    """
    widths = np.array([half_width(int(n), level) for n in path.n])
    finite = np.isfinite(widths)
    half = np.where(finite, widths, 1.0)
    flat = np.abs(path.skewness) < 1e-6
    skewness = np.where(flat, 1.0, path.skewness)

    def inverse(y: np.ndarray) -> np.ndarray:
        return np.where(flat, y, 3 / skewness * (np.cbrt(1 + skewness * (y - skewness / (6 * path.n))) - 1))

    lows = path.mean - np.maximum(inverse(half), half) * path.spread
    highs = path.mean - np.minimum(inverse(-half), -half) * path.spread
    lows = np.maximum.accumulate(np.where(finite, lows, -np.inf), axis=-1)
    highs = np.minimum.accumulate(np.where(finite, highs, np.inf), axis=-1)
    # Once nothing is in common, it stays so: the last place before that.
    last = np.maximum.accumulate(np.where(lows <= highs, np.arange(len(half)), 0), axis=-1)
    return np.take_along_axis(lows, last, axis=-1), np.take_along_axis(highs, last, axis=-1)


def weaker(z: np.ndarray, skewness: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The weaker of z and its Hall transform; 0 where these have different signs."""
    finite = np.where(np.isfinite(z), z, 0.0)
    corrected = finite + skewness * finite**2 / 3 + skewness**2 * finite**3 / 27 + skewness / (6 * n)
    both = np.where(np.sign(corrected) == np.sign(finite), np.minimum(np.abs(finite), np.abs(corrected)), 0.0)
    return np.where(np.isfinite(z), np.sign(finite) * both, z)


@dataclass(frozen=True)
class SequentialEstimate(Estimate):
    """A mean of which it was asked after each repetition whether it suffices: what was decided once stays decided.

    The interval is what those after each number of repetitions have in common, and a p-value the least so far.
    """

    @property
    def decides(self) -> bool:
        """Whether anything can follow from it."""
        return super().decides and bool(self._telling[-1]) and math.isfinite(half_width(self.n))

    def interval(self, level: float = LEVEL, limits: Range = UNLIMITED) -> Range:
        """Two-sided interval that holds at every look, within the limits of what is measured."""
        if math.isnan(self.stderr):
            return math.nan, math.nan
        if not self._telling.any():
            return limits
        lows, highs = common_intervals(self._path, level)
        return max(float(lows[-1]), limits[0]), min(float(highs[-1]), limits[1])

    def p_above(self, limit: float) -> float:
        """One-sided p-value, valid at every look, against the true mean being at most the limit."""
        return self._least_pvalue(limit, 1.0)

    def p_below(self, limit: float) -> float:
        """One-sided p-value, valid at every look, against the true mean being at least the limit."""
        return self._least_pvalue(limit, -1.0)

    def _least_pvalue(self, limit: float, side: float) -> float:
        """Half of 1 / E_n where the mean lies on the side, at the n that tells most."""
        if not super().decides or not self._telling.any():
            return 1.0
        if math.isinf(limit):
            return 1.0 if (limit > 0) == (side > 0) else 0.0
        path = self._path
        distance = side * (path.mean - limit)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(np.abs(distance) > 1e-12 * np.abs(self._values).max(), distance / path.spread, 0.0)
        z = weaker(z, side * path.skewness, path.n)
        evidence = float(np.where(z > 0, log_evidence(z, path.n), -np.inf).max())
        return 1.0 if evidence == -math.inf else 0.5 * math.exp(min(0.0, -evidence))

    @cached_property
    def _values(self) -> np.ndarray:
        size = max(map(abs, self.sample.values))
        return np.array([rounded(value, size) for value in self.sample.values])

    @cached_property
    def _path(self) -> _Path:
        """Of the numbers of values that can decide."""
        return path_of(self._values, self.sample.row_variance).at(self._telling)

    @cached_property
    def _telling(self) -> np.ndarray:
        """Whether so many values can decide, from two on: they count rows, or enough differ, or they are many."""
        if self.sample.row_variance > 0:
            return np.ones(self.n - 1, dtype=bool)
        alike = np.cumsum(self._values[:, None] == np.unique(self._values), axis=0).max(axis=1)
        numbers = np.arange(1, self.n + 1)
        return np.asarray((numbers >= TIED_FROM) | (numbers - alike >= TIES))[1:]


def sequential_estimate(sample: Sample) -> SequentialEstimate | None:
    """Mean of a sample in the order of its repetitions, with an uncertainty that holds at every look."""
    plain = estimate(sample)
    return None if plain is None else SequentialEstimate(plain.mean, plain.stderr, plain.n, sample, plain.freedom)
