"""Methods that look at no feature: who is no better than they are learned nothing that helps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from benchkit.report.statistics.points import Point

YARDSTICKS: Mapping[str, str] = {
    "constant": "always answering the largest class",
    "mean": "always answering the mean of the training targets",
}
"""Labels of the algorithms that look at no feature, and what they do, in words."""


@dataclass(frozen=True)
class Bar:
    """What every method has to pass at a place.

    Attributes
    ----------
    name : str
        Of the algorithm that looks at no feature.
    point : Point
        Its mean there.
    """

    name: str
    point: Point

    @property
    def words(self) -> str:
        """``always answering the largest class (constant)``."""
        return f"{YARDSTICKS[self.name]} ({self.name})"

    def is_passed_by(self, point: Point, greater_is_better: bool) -> bool:
        """Whether a point is better, by the means that tables show and by those over shared repetitions.

        Where the two disagree, because trials failed, it counts as better: nothing is held against it then.
        """
        shared = sorted(point.parts.keys() & self.point.parts.keys())
        if not shared or point.mean is None or self.point.mean is None:
            return True
        sign = 1.0 if greater_is_better else -1.0
        gains = fmean(point.parts[part] - self.point.parts[part] for part in shared), point.mean - self.point.mean
        return any(sign * gain > 0 for gain in gains)


def bar_of(here: Iterable[Point]) -> Bar | None:
    """The bar of a place; None where no method there looks at no feature."""
    for point in here:
        if point.algorithm in YARDSTICKS and point.mean is not None:
            return Bar(point.algorithm, point)
    return None
