"""Which columns an adversary took: in what share of the test rows it changed each, at each point of the axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.document import Block, Fold, Heading, Note, Table
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.grid import Grid
from benchkit.report.points import of_first_metric

if TYPE_CHECKING:
    import numpy as np

    from benchkit.report.analysis import Analysis
    from benchkit.trial.rows import RowOutcomes


_OPEN, _MOST_COLUMNS = 4, 40
NOTE = (
    "share of the test rows in which the adversary changed the column, over all methods and "
    "repetitions; one-hot columns count as their one feature; a value that was 0 and is deleted is no change"
)


@dataclass(frozen=True)
class Taken:
    """The columns of a data set under an adversary.

    Attributes
    ----------
    grid : Grid
    headings : sequence of str
        Points of the axis at which anything was changed.
    shares : mapping of str to sequence of float
        Of each column that was changed anywhere, at each of these points; the most changed first.
    untouched : int
        Columns that were never changed.
    """

    grid: Grid
    headings: Sequence[str]
    shares: Mapping[str, Sequence[float]]
    untouched: int


def taken_columns(analysis: Analysis) -> list[Taken]:
    """For each data set and adversary of which changes were kept."""
    found = []
    for grid in of_first_metric(analysis.all_grids, analysis.metrics):
        if grid.is_group or grid.adversary == "none":
            continue
        counted = {
            heading: _shares(analysis, grid, value) for heading, value in zip(grid.headings, grid.columns, strict=True)
        }
        at = {heading: shares for heading, shares in counted.items() if any(shares.values())}
        if not at:
            continue
        names = list(dict.fromkeys(name for shares in at.values() for name in shares))
        rows = {name: [shares.get(name, 0.0) for shares in at.values()] for name in names}
        order = sorted((name for name in names if any(rows[name])), key=lambda name: -sum(rows[name]))
        found.append(Taken(grid, list(at), {name: rows[name] for name in order}, len(names) - len(order)))
    return found


def _shares(analysis: Analysis, grid: Grid, value: object) -> dict[str, float]:
    """The share of test rows in which each feature was changed at a point of the axis, over methods and repetitions."""
    records = [record for point in grid.column(value) for record in point.records.values()]
    changed: Counter[str] = Counter()
    rows = 0
    for _, kept in analysis.results.kept_rows.outcomes_of(records):
        if kept.changed is not None:
            rows += len(kept.loss)
            changed.update(_counts(kept))
    return {name: count / rows for name, count in changed.items()}


def _counts(kept: RowOutcomes) -> dict[str, int]:
    """In how many rows each feature was changed."""
    import numpy as np

    assert kept.changed is not None
    names = kept.part.features
    if not names or len(names) > kept.changed.shape[1]:  # of an earlier version, or of data without names
        counts: np.ndarray = kept.changed.sum(axis=0)
        return {f"column {place}": int(count) for place, count in enumerate(counts.tolist()) if count}
    if len(set(names)) == len(names):
        return dict(zip(names, kept.changed[:, : len(names)].sum(axis=0).tolist(), strict=True))
    features, of_column = np.unique(names, return_inverse=True)
    grouped = np.zeros((len(kept.loss), len(features)), dtype=bool)
    for column, feature in enumerate(of_column.tolist()):
        grouped[:, feature] |= kept.changed[:, column]
    return dict(zip(features.tolist(), grouped.sum(axis=0).tolist(), strict=True))


def taken_blocks(analysis: Analysis) -> Iterator[Block]:
    """For each data set and adversary a row for each column that was changed anywhere."""
    found = taken_columns(analysis)
    if found:
        yield Heading("Columns that were changed", details=True)
    for place, taken in enumerate(found):
        shown, left_out = list(taken.shares.items())[:_MOST_COLUMNS], len(taken.shares) - _MOST_COLUMNS
        notes = [f"{left_out} more columns were changed less"] if left_out > 0 else []
        notes += [f"{taken.untouched} further columns were never changed"] if taken.untouched else []
        table = ReportTable(
            title=f"columns changed on {taken.grid.panel}",
            columns=[f"column, by {taken.grid.axis_title}", *taken.headings],
            rows=[[name, *(_share(share) for share in shares)] for name, shares in shown],
            align=("left", *["right"] * len(taken.headings)),
            note="; ".join(notes),
        )
        yield Fold(taken.grid.panel, [Table(table, "means", NOTE)], open=place < _OPEN)
    if found:
        yield Note(NOTE)


def _share(share: float) -> ReportCell:
    """As a percentage; one that is not zero never as 0 %."""
    text = "0%" if share == 0 else "<1%" if share < 0.005 else f"{share:.0%}"
    return ReportCell(text, share, f"right{round(4 * share)}")
