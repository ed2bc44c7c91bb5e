"""Records arranged for judging claims: which values of a metric may be compared with which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from benchkit.report.statistics import PairedDifference, Record, paired_difference
from benchkit.suite.plan import dataset_name
from benchkit.suite.schema import MEASURES

Sample = Mapping[tuple[int, str], float]
"""Values of one algorithm at one point by repetition and dataset; several datasets where a group is meant."""


@dataclass(frozen=True)
class Curves:
    """The values of each algorithm along the axis, on one dataset or group, under one adversary.

    Attributes
    ----------
    where : str
        Dataset (or group) and adversary.
    points : mapping of axis value to mapping of algorithm to Sample
        In the order of the plan.
    """

    where: str
    points: dict[Any, dict[str, dict[tuple[int, str], float]]] = field(default_factory=dict)

    def along(self, algorithm: str) -> list[tuple[Any, Sample]]:
        """One algorithm's samples, where it has any, axis values ascending if they are numbers."""
        found: list[tuple[Any, Sample]]
        found = [(value, samples[algorithm]) for value, samples in self.points.items() if samples.get(algorithm)]
        if all(is_number(value) for value, _ in found):
            found.sort(key=lambda point: float(point[0]))
        return found


def curves(rows: Iterable[Record], metric: str, by_group: bool) -> list[Curves]:
    """Curves of the records that ended ok and have the metric.

    Parameters
    ----------
    rows : iterable of Record
    metric : str
        A metric, or one of the record's own `MEASURES`.
    by_group : bool
        Whether the datasets of a group make one curve; records without a group are then left out.
    """
    found: dict[tuple[str, str], Curves] = {}
    for row in rows:
        value = _value(row, metric) if row["status"] == "ok" else None
        # Along an axis of the dataset its parameter moves: all its values are one curve.
        parameter = row["axis"].partition(".")[2] if str(row["axis"]).startswith("dataset.") else None
        fixed = {key: item for key, item in row["dataset_params"].items() if key != parameter}
        name = dataset_name(row["dataset"], fixed)
        place = row["group"] if by_group else name
        if value is None or place is None:
            continue
        curve = found.setdefault((place, row["adversary"]), Curves(f"{place} {row['adversary']}"))
        samples = curve.points.setdefault(row["axis_value"], defaultdict(dict))
        samples[row["algorithm"]][row["repetition"], name] = value
    return list(found.values())


def _value(row: Record, metric: str) -> float | None:
    found: float | None = row["metrics"].get(metric, row.get(metric) if metric in MEASURES else None)
    return found


def difference(first: Sample, second: Sample) -> PairedDifference | None:
    """First minus second on the repetitions and datasets that both have, datasets averaged within a repetition."""
    shared = first.keys() & second.keys()
    one, other = ({key: sample[key] for key in shared} for sample in (first, second))
    return paired_difference(by_repetition(one), by_repetition(other))


def by_repetition(sample: Sample) -> dict[int, float]:
    """Means over the datasets of each repetition."""
    values: dict[int, list[float]] = defaultdict(list)
    for (repetition, _), value in sample.items():
        values[repetition].append(value)
    return {repetition: fmean(each) for repetition, each in values.items()}


def is_number(value: Any) -> bool:
    """Whether an axis value can be put on a scale."""
    return isinstance(value, int | float) and not isinstance(value, bool)
