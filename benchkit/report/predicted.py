"""What was predicted: confusion matrices, ROC curves and calibration, from the rows that a run has kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.journal import JournalError
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.grid import Grid
from benchkit.report.points import Point, of_first_metric
from benchkit.statistics.scores_of_two import Bin, Roc, Scored, calibration, mean_roc

if TYPE_CHECKING:
    import numpy as np

    from benchkit.report.analysis import Analysis
    from benchkit.trial.outcomes import RowOutcomes


@dataclass(frozen=True)
class Predicted:
    """What methods said of the test rows of a data set, at one point of an axis.

    Attributes
    ----------
    grid : Grid
    heading : str
        Of the point.
    classes : sequence of str
        As the source names them.
    confusion : mapping of algorithm to ndarray of int of shape (n_classes, n_classes)
        Test rows by true class and predicted class, over all repetitions.
    roc : mapping of algorithm to Roc
        Of the second of two classes, of those that score rows.
    calibrated : mapping of algorithm to list of Bin
        Of those that give probabilities.
    """

    grid: Grid
    heading: str
    classes: Sequence[str]
    confusion: Mapping[str, np.ndarray]
    roc: Mapping[str, Roc]
    calibrated: Mapping[str, Sequence[Bin]]

    @property
    def where(self) -> str:
        """``breast under greedy-delete at 5``."""
        return f"{self.grid.panel} at {self.heading}" if len(self.grid.columns) > 1 else self.grid.panel


def predicted(analysis: Analysis) -> Iterator[Predicted]:
    """For each data set and adversary, at the start of the axis and at its end; of classes of which rows were kept."""
    for grid in of_first_metric(analysis.all_grids, analysis.metrics):
        if grid.is_group:
            continue
        for place in dict.fromkeys((0, len(grid.columns) - 1)):
            found = _predicted(analysis, grid, place)
            if found is not None:
                yield found


def _predicted(analysis: Analysis, grid: Grid, place: int) -> Predicted | None:
    kept = {point.algorithm: _kept(analysis, point) for point in grid.column(grid.columns[place])}
    kept = {name: outcomes for name, outcomes in kept.items() if outcomes}
    every = [each for outcomes in kept.values() for each in outcomes]
    if not every:
        return None
    # A class that is in no training part is in no model's sight, but may be among the test rows of one split.
    different = {label for each in every for label in each.part.classes or ()}
    classes = sorted(different, key=lambda label: (str(type(label)), label))
    names = {label: name for each in every for label, name in zip(each.part.classes or (), _names(each), strict=True)}
    two = len(classes) == 2
    scored = {name: list(_scored(outcomes, classes)) for name, outcomes in kept.items()} if two else {}
    chances = {name: list(_chances(outcomes, classes)) for name, outcomes in kept.items()} if two else {}
    curves = {name: mean_roc(parts) for name, parts in scored.items() if parts}
    return Predicted(
        grid=grid,
        heading=grid.headings[place],
        classes=[names[label] for label in classes],
        confusion={name: _confusion(outcomes, classes) for name, outcomes in kept.items()},
        roc={name: curve for name, curve in curves.items() if curve is not None},
        calibrated={name: calibration(parts) for name, parts in chances.items() if parts},
    )


def _kept(analysis: Analysis, point: Point) -> list[RowOutcomes]:
    """Outcomes of a point's repetitions that say which class was predicted."""
    found = []
    for part in sorted(point.records):
        try:
            outcomes = analysis.results.kept_rows.outcomes.of(point.records[part])
        except JournalError:  # its folder of rows is gone, as those of other trials need not be
            continue
        if outcomes is not None and outcomes.predictions is not None and outcomes.part.classes is not None:
            found.append(outcomes)
    return found


def _names(kept: RowOutcomes) -> Sequence[str]:
    classes = kept.part.classes or ()
    return kept.part.class_names if len(kept.part.class_names) == len(classes) else [str(label) for label in classes]


def _confusion(kept: Sequence[RowOutcomes], classes: Sequence[object]) -> np.ndarray:
    import numpy as np

    counts = np.zeros((len(classes), len(classes)), dtype=int)
    for each in kept:
        place = np.array([classes.index(label) for label in each.part.classes or ()])
        np.add.at(counts, (place[each.part.truth], place[each.predictions]), 1)
    return counts


def _scored(kept: Sequence[RowOutcomes], classes: Sequence[object]) -> Iterator[Scored]:
    """Truth and the score of the second class, by what the model decides by, or else by its probability."""
    for each in kept:
        if each.decision is not None and each.decision.ndim == 1:
            yield _is_second(each, classes), each.decision
        else:
            yield from _chances([each], classes)


def _chances(kept: Sequence[RowOutcomes], classes: Sequence[object]) -> Iterator[Scored]:
    """Truth and the probability of the second class."""
    for each in kept:
        known = each.model_classes or each.part.classes or ()
        second = classes[1]
        if each.probabilities is not None and second in known and each.probabilities.shape[1] == len(known):
            yield _is_second(each, classes), each.probabilities[:, list(known).index(second)]


def _is_second(kept: RowOutcomes, classes: Sequence[object]) -> np.ndarray:
    import numpy as np

    second: np.ndarray = np.array([label == classes[1] for label in kept.part.classes or ()])[kept.part.truth]
    return second


def confusion(predicted: Predicted) -> ReportTable:
    """A row for each method and true class, a column for each predicted class; counts on hover."""
    rows: list[list[str | ReportCell]] = []
    for algorithm, counts in predicted.confusion.items():
        for place, name in enumerate(predicted.classes):
            total = int(counts[place].sum())
            cells = [_cell(int(count), total, place == other) for other, count in enumerate(counts[place])]
            rows.append([algorithm, name, *cells])
    return ReportTable(
        title=predicted.where,
        columns=["method", "true class", *(f"taken for {name}" for name in predicted.classes)],
        rows=rows,
        align=("left", "left", *["right"] * len(predicted.classes)),
    )


def _cell(count: int, total: int, right: bool) -> ReportCell:
    if not total:
        return ReportCell("-")
    share = count / total
    kind = f"{'right' if right else 'wrong'}{round(4 * share)}"
    return ReportCell(f"{share:.1%}", share, kind, hint=f"{count:,} of {total:,} test rows")
