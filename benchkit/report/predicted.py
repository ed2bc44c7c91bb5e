"""What was predicted: confusion matrices, ROC curves and calibration, from the rows that a run has kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from benchkit.document import Block, Chart, Curve, Fold, Heading, Mark, Note, Table
from benchkit.document.charts import style_numbers
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.grid import Grid
from benchkit.report.points import TRIVIAL_METHODS, Point, of_first_metric

if TYPE_CHECKING:
    import numpy as np

    from benchkit.report.analysis import Analysis
    from benchkit.trial.rows import RowOutcomes


Scored = tuple["np.ndarray", "np.ndarray"]
"""Whether each row is of the second class, and its score."""


class Roc(NamedTuple):
    """A mean ROC curve: shares of the first class and of the second that are above a threshold, and the mean area."""

    false_positives: np.ndarray
    true_positives: np.ndarray
    area: float


class Bin(NamedTuple):
    """Rows of about one predicted probability: its mean, the share of the second class, and how many rows."""

    predicted: float
    observed: float
    rows: int


PREDICTED = "What was predicted"
_MOST_PANELS = 24
_MOST_CELLS = 6000  # of confusion matrices, 100 bytes each
_MOST_CURVES = 240  # of 102 points, 12 bytes each
_NOTE = (
    "Over all repetitions. Confusion matrices: shares of each true class, counts on hover. ROC: the mean of the "
    "repetitions' curves, for the second class, with the mean area under them. Calibration: rows in ten bins of "
    "predicted probability, against the share that is of the second class; on the diagonal a method keeps its word"
)


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
    records = [point.records[part] for part in sorted(point.records)]
    kept = analysis.results.kept_rows.outcomes_of(records)
    return [each for _, each in kept if each.predictions is not None and each.part.classes is not None]


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


def mean_roc(parts: Sequence[Scored], points: int = 101) -> Roc | None:
    """The mean of several models' ROC curves, at equal shares of false positives; of those with both classes.

    Curves are averaged, not scores: those of two fits need not mean the same (Fawcett 2006, section 7, vertical
    averaging).
    """
    import numpy as np
    from sklearn.metrics import auc, roc_curve

    across = np.linspace(0, 1, points)
    curves, areas = [], []
    for positive, scores in parts:
        if positive.all() or not positive.any() or not np.isfinite(scores).all():
            continue
        false, true, _ = roc_curve(positive, scores, drop_intermediate=False)
        areas.append(auc(false, true))
        last = np.append(np.diff(false) > 0, True)  # where the curve is vertical, its upper end
        curves.append(np.interp(across, false[last], true[last]))
    if not curves:
        return None
    return Roc(np.append(0.0, across), np.append(0.0, np.mean(curves, axis=0)), float(np.mean(areas)))


def calibration(parts: Sequence[Scored], bins: int = 10) -> list[Bin]:
    """How often the second class comes true where it was given about this probability, over all parts.

    Bins are of equal width; those without rows are left out (reliability diagrams: Niculescu-Mizil and Caruana 2005).
    """
    import numpy as np

    positive, chances = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
    counts, predicted, observed = (
        np.histogram(chances, bins, (0, 1), weights=weights)[0] for weights in (None, chances, positive.astype(float))
    )
    return [
        Bin(float(predicted[place] / counts[place]), float(observed[place] / counts[place]), int(counts[place]))
        for place in np.flatnonzero(counts)
    ]


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


def predicted_blocks(analysis: Analysis) -> Iterator[Block]:
    """The page's section: a fold for each data set and adversary, as many as a page carries; none without kept rows."""
    styles = style_numbers(analysis.algorithms, TRIVIAL_METHODS)
    folds: list[Fold] = []
    cells = curves = left_out = 0
    for each in predicted(analysis):
        more_cells = len(each.confusion) * len(each.classes) ** 2
        more_curves = len(each.roc) + len(each.calibrated)
        if len(folds) == _MOST_PANELS or cells + more_cells > _MOST_CELLS or curves + more_curves > _MOST_CURVES:
            left_out += 1
            continue
        cells, curves = cells + more_cells, curves + more_curves
        charts = [chart for chart in _charts(each, styles) if chart.curves]
        folds.append(Fold(each.where, [Table(confusion(each), "means confusion second-name"), *charts]))
    if folds or left_out:
        yield Heading(PREDICTED, page=True)
        yield from folds
        yield Note(_NOTE)
    if left_out:
        yield Note(f"{left_out} more panels would make the page too large: in Python, results.only(...) chooses others")


def _charts(shown: Predicted, styles: Mapping[str, int]) -> list[Chart]:
    second = shown.classes[-1]
    roc = [
        Curve(f"{name} {curve.area:.3f}", _corners(curve), styles[name], shape="line")
        for name, curve in shown.roc.items()
    ]
    calibrated = [
        Curve(
            name,
            [
                Mark(each.predicted, each.observed, hint=f"{name}: {each.observed:.1%} of {each.rows:,} rows")
                for each in bins
            ],
            styles[name],
        )
        for name, bins in shown.calibrated.items()
    ]
    x, y = f"share of the others taken for {second}", f"share of {second} found"
    across, up = f"predicted probability of {second}", f"share that is {second}"
    return [
        Chart(f"ROC of {second}", x, y, roc, square=True),
        Chart(f"Calibration of {second}", across, up, calibrated, square=True),
    ]


def _corners(curve: Roc) -> list[Mark]:
    """A line through the curve's points, without those on the way between their neighbours."""
    import numpy as np

    x, y = curve.false_positives, curve.true_positives
    across, up = np.diff(x), np.diff(y)
    bends = np.abs(across[:-1] * up[1:] - up[:-1] * across[1:]) >= 1e-12
    kept = np.concatenate([[True], bends, [True]])
    return [Mark(*place) for place in zip(x[kept].tolist(), y[kept].tolist(), strict=True)]
