"""Means, differences, intervals, tests, ranks: pure functions of numbers, without records or files."""

from benchkit.statistics.measurement import Measurement, RowValues, combination, difference

__all__ = ["Measurement", "RowValues", "combination", "difference"]
