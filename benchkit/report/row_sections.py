"""Sections of a report that are made of kept rows: which columns an adversary changed, and what was predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.document import Block, Chart, Curve, Fold, Heading, Mark, Note, Table
from benchkit.document.charts import style_numbers
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.grid import Grid
from benchkit.report.points import of_first_metric

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis
    from benchkit.trial.rows import RowOutcomes


_OPEN, _MOST_COLUMNS = 4, 40
_MOST_PANELS = 24
_MOST_CELLS = 6000  # of confusion matrices, 100 bytes each
_CHANGED_NOTE = (
    "share of the test rows in which the adversary changed the column, over all methods and "
    "repetitions; one-hot columns count as their one feature; a value that was 0 and is deleted is no change"
)
_PREDICTED_NOTE = (
    "Over all repetitions. Confusion matrices: shares of each true class, counts on hover. ROC: the mean of the "
    "repetitions' curves, for the second class, with the mean area under them. Calibration: rows in ten bins of "
    "predicted probability, against the share that is of the second class; on the diagonal a method keeps its word"
)


def changed_blocks(analysis: Analysis) -> Iterator[Block]:
    """For each data set and adversary of which changes were kept, a row for each column that was changed anywhere."""
    folds: list[Fold] = []
    for grid in of_first_metric(analysis.all_grids, analysis.metrics):
        if grid.is_group or grid.adversary == "none":
            continue
        counted = zip(grid.headings, (_shares(analysis, grid, value) for value in grid.columns), strict=True)
        at = {heading: shares for heading, shares in counted if any(shares.values())}
        names = dict.fromkeys(name for shares in at.values() for name in shares)
        rows = {name: [shares.get(name, 0.0) for shares in at.values()] for name in names}
        most_first = sorted((name for name in names if any(rows[name])), key=lambda name: -sum(rows[name]))
        if not most_first:
            continue
        left_out, untouched = len(most_first) - _MOST_COLUMNS, len(names) - len(most_first)
        notes = [f"{left_out} more columns were changed less"] if left_out > 0 else []
        notes += [f"columns that were never changed: {untouched}"] if untouched else []
        table = ReportTable(
            title=f"columns changed on {grid.panel}",
            columns=[f"column, by {grid.axis_title}", *at],
            rows=[[name, *(_cell(share, "right") for share in rows[name])] for name in most_first[:_MOST_COLUMNS]],
            align=("left", *["right"] * len(at)),
            note="; ".join(notes),
        )
        folds.append(Fold(grid.panel, [Table(table, "means", _CHANGED_NOTE)], open=len(folds) < _OPEN))
    if folds:
        yield Heading("Columns that were changed", details=True)
        yield from folds
        yield Note(_CHANGED_NOTE)


def _shares(analysis: Analysis, grid: Grid, value: object) -> dict[str, float]:
    """The share of test rows in which each feature was changed at a point of the axis, over methods and repetitions.

    A feature was changed where any of its columns was.
    """
    records = [record for point in grid.column(value) for record in point.records.values()]
    counts: Counter[str] = Counter()
    rows = 0
    for _, kept in analysis.results.kept_rows.outcomes_of(records):
        if kept.changed is None:
            continue
        rows += len(kept.loss)
        names, width = kept.part.features, kept.changed.shape[1]
        if not names or len(names) > width:  # of data without names
            names = tuple(f"column {place}" for place in range(width))
        of_name = np.array(names)
        counts.update(
            {
                name: int(kept.changed[:, np.flatnonzero(of_name == name)].any(axis=1).sum())
                for name in dict.fromkeys(names)
            }
        )
    return {name: count / rows for name, count in counts.items()}


def _cell(share: float, kind: str, decimals: int = 0, hint: str = "") -> ReportCell:
    """A percentage on a ground of its strength; without decimals one that is not zero is never 0 %."""
    text = "<1%" if not decimals and 0 < share < 0.005 else f"{share:.{decimals}%}"
    return ReportCell(text, share, f"{kind}{round(4 * share)}", hint)


Scored = tuple["np.ndarray", "np.ndarray"]
"""Whether each row is of the second class, and its score."""


class Predicted(NamedTuple):
    """What methods said of the test rows of a data set at one point of an axis, by algorithm, over all repetitions."""

    grid: Grid
    place: int  # of the point among the grid's columns
    classes: Sequence[str]  # as the source names them
    confusion: Mapping[str, np.ndarray]  # test rows by true class and predicted class
    roc: Mapping[str, tuple[np.ndarray, np.ndarray, float]]  # see `mean_roc`; of methods that score rows
    calibrated: Mapping[str, np.ndarray]  # see `calibration`; of methods that give probabilities


def predicted(analysis: Analysis) -> Iterator[Predicted]:
    """For each data set and adversary, at the start of the axis and at its end; of classes of which rows were kept."""
    for grid in of_first_metric(analysis.all_grids, analysis.metrics):
        for index in dict.fromkeys((0, len(grid.columns) - 1)) if not grid.is_group else ():
            outcomes: dict[str, list[RowOutcomes]] = {}
            for point in grid.column(grid.columns[index]):
                kept = analysis.results.kept_rows.outcomes_of(point.records[part] for part in sorted(point.records))
                classified = [rows for _, rows in kept if rows.predictions is not None and rows.part.classes]
                if classified:
                    outcomes[point.algorithm] = classified
            if not outcomes:
                continue
            names: dict[object, str] = {}
            # A class that is in no training part is in no model's sight, but may be among the test rows of one split.
            for part in (rows.part for kept_of_method in outcomes.values() for rows in kept_of_method):
                names |= zip(part.classes or (), map(str, part.named_classes), strict=True)
            labels = sorted(names, key=lambda label: (str(type(label)), label))
            scored, chances = (
                {name: list(_scored(rows, labels[1], decides)) for name, rows in outcomes.items() if len(labels) == 2}
                for decides in (True, False)
            )
            curves = {name: mean_roc(parts) for name, parts in scored.items()}
            yield Predicted(
                grid,
                index,
                [names[label] for label in labels],
                {name: _confusion(rows, labels) for name, rows in outcomes.items()},
                {name: curve for name, curve in curves.items() if curve is not None},
                {name: calibration(parts) for name, parts in chances.items() if parts},
            )


def _confusion(kept: Sequence[RowOutcomes], labels: Sequence[object]) -> np.ndarray:
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    for rows in kept:
        place = np.array([labels.index(label) for label in rows.part.classes or ()])
        np.add.at(counts, (place[rows.part.truth], place[rows.predictions]), 1)
    return counts


def _scored(kept: Sequence[RowOutcomes], second: object, decides: bool) -> Iterator[Scored]:
    """Truth and the second class' probability; or what the model ``decides`` by, where it has that."""
    for rows in kept:
        classes = rows.part.classes or ()
        positive = np.array([label == second for label in classes])[rows.part.truth]
        known = list(rows.model_classes or classes)
        if decides and rows.decision is not None and rows.decision.ndim == 1:
            yield positive, rows.decision
        elif rows.probabilities is not None and second in known and rows.probabilities.shape[1] == len(known):
            yield positive, rows.probabilities[:, known.index(second)]


def mean_roc(parts: Sequence[Scored], points: int = 101) -> tuple[np.ndarray, np.ndarray, float] | None:
    """The mean of several models' ROC curves, at equal shares of false positives; of those with both classes.

    Shares of the first class and of the second that are above a threshold, and the mean area under the curves. These
    are averaged, not scores: those of two fits need not mean the same (Fawcett 2006, section 7, vertical averaging).
    scikit-learn's checks would take most of the time of a thousand small trials.
    """
    across = np.linspace(0, 1, points)
    curves, areas = [], []
    for positive, scores in parts:
        if positive.all() or not positive.any() or not np.isfinite(scores).all():
            continue
        order = np.argsort(-scores, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)  # the last row of each score
        counts = np.cumsum(positive[order])[ends]
        true = np.append(0.0, counts / counts[-1])
        false = np.append(0.0, (ends + 1 - counts) / (len(scores) - counts[-1]))
        areas.append(np.trapezoid(true, false))
        last = np.append(np.diff(false) > 0, True)  # where the curve is vertical, its upper end
        curves.append(np.interp(across, false[last], true[last]))
    if not curves:
        return None
    return np.append(0.0, across), np.append(0.0, np.mean(curves, axis=0)), float(np.mean(areas))


def calibration(parts: Sequence[Scored], bins: int = 10) -> np.ndarray:
    """How often the second class comes true where it was given about this probability, over all parts.

    A row for each bin, of equal width and with test rows in it: their mean probability, the share of the second class,
    and how many they are (reliability diagrams: Niculescu-Mizil and Caruana 2005).
    """
    positive, chances = map(np.concatenate, zip(*parts, strict=True))
    counts, chance, observed = (
        np.histogram(chances, bins, (0, 1), weights=weights)[0] for weights in (None, chances, positive.astype(float))
    )
    some = counts > 0
    return np.column_stack([chance[some] / counts[some], observed[some] / counts[some], counts[some]])


def predicted_blocks(analysis: Analysis) -> Iterator[Block]:
    """The page's section: a fold for each data set and adversary, as many as a page carries; none without kept rows."""
    styles = style_numbers(analysis.algorithms, analysis.results.trivial)
    folds: list[Fold] = []
    cells = left_out = 0
    for panel in predicted(analysis):
        more = len(panel.confusion) * len(panel.classes) ** 2
        if len(folds) == _MOST_PANELS or cells + more > _MOST_CELLS:
            left_out += 1
            continue
        cells += more
        where = panel.grid.panel_at(panel.place)
        charts = [chart for chart in _charts(panel, styles) if chart.curves]
        folds.append(Fold(where, [Table(_confusion_table(panel, where), "means confusion second-name"), *charts]))
    if folds or left_out:
        yield Heading("What was predicted", page=True)
        yield from folds
        yield Note(_PREDICTED_NOTE)
    if left_out:
        yield Note(f"{left_out} more panels would make the page too large: in Python, results.only(...) chooses others")


def _confusion_table(panel: Predicted, title: str) -> ReportTable:
    """A row for each method and true class, a column for each predicted class; counts on hover."""
    rows: list[list[str | ReportCell]] = []
    for algorithm, counts in panel.confusion.items():
        for true, (name, row) in enumerate(zip(panel.classes, counts.tolist(), strict=True)):
            total = sum(row)
            cells = [
                _cell(count / total, "right" if taken == true else "wrong", 1, f"{count:,} of {total:,} test rows")
                if total
                else ReportCell("-")
                for taken, count in enumerate(row)
            ]
            rows.append([algorithm, name, *cells])
    return ReportTable(
        title=title,
        columns=["method", "true class", *(f"taken for {name}" for name in panel.classes)],
        rows=rows,
        align=("left", "left", *["right"] * len(panel.classes)),
    )


def _charts(panel: Predicted, styles: Mapping[str, int]) -> list[Chart]:
    second = panel.classes[-1]
    roc = [
        Curve(f"{name} {area:.3f}", _corners(false, true), styles[name], markers=False)
        for name, (false, true, area) in panel.roc.items()
    ]
    calibrated = []
    for name, bins in panel.calibrated.items():
        marks = [Mark(x, y, hint=f"{name}: {y:.1%} of {rows:,.0f} rows") for x, y, rows in bins.tolist()]
        calibrated.append(Curve(name, marks, styles[name]))
    x, y = f"share of the others taken for {second}", f"share of {second} found"
    across, up = f"predicted probability of {second}", f"share that is {second}"
    return [
        Chart(f"ROC of {second}", x, y, roc, square=True),
        Chart(f"Calibration of {second}", across, up, calibrated, square=True),
    ]


def _corners(x: np.ndarray, y: np.ndarray) -> list[Mark]:
    """A line through the curve's points, without those on the way between their neighbours."""
    across, up = np.diff(x), np.diff(y)
    bends = np.abs(across[:-1] * up[1:] - up[:-1] * across[1:]) >= 1e-12
    kept = np.concatenate([[True], bends, [True]])
    return [Mark(*place) for place in zip(x[kept].tolist(), y[kept].tolist(), strict=True)]
