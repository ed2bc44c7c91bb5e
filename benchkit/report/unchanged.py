"""Adversaries that changed nothing: what follows their budgets then is no contest."""

from __future__ import annotations

from benchkit.journal import JournalError
from benchkit.journal.outcomes import Outcomes
from benchkit.report.grid import Grid
from benchkit.report.statistics.chance import YARDSTICKS
from benchkit.report.statistics.points import Point
from benchkit.report.statistics.robustness import numeric_columns


def changed_nothing(grid: Grid, outcomes: Outcomes | None = None) -> bool:
    """Whether an adversary left every value of a grid's data as it was, whatever its budget.

    It did where every method has the same values at all budgets, unless what was kept of the rows tells of a change:
    methods that answer one class to every row have the same values whatever happens. A method that is told the budget
    may differ although nothing was changed: of those, what was kept of the rows decides.

    Parameters
    ----------
    grid : Grid
    outcomes : Outcomes, optional
        What the run has kept of its rows.
    """
    columns = numeric_columns(grid)
    if grid.axis != "budget" or grid.adversary == "none" or not columns or columns[-1] <= 0:
        return False
    learned = {name: row for name, row in grid.rows.items() if name not in YARDSTICKS and len(row) == len(columns)}
    moved = [name for name, row in learned.items() if not _is_level(list(row.values()))]
    if not moved:
        largest = [row[str(columns[-1])] for row in learned.values()]
        known = outcomes is not None and any(_some_changed(point, outcomes) for point in largest)
        return not known and any(point.parts for row in learned.values() for point in row.values())
    if len(moved) == len(learned) or outcomes is None:
        return False
    return all(_kept_all(grid.rows[name][str(columns[-1])], outcomes) for name in moved)


def _is_level(points: list[Point]) -> bool:
    return all(point.parts == points[0].parts for point in points)


def _kept_all(point: Point, outcomes: Outcomes) -> bool:
    """Whether it is known that no value of any trial was changed."""
    changed = _changed(point, outcomes)
    return bool(changed) and all(each is False for each in changed)


def _some_changed(point: Point, outcomes: Outcomes) -> bool:
    """Whether it is known that a value of a trial was changed."""
    return any(_changed(point, outcomes))


def _changed(point: Point, outcomes: Outcomes) -> list[bool | None]:
    """Of each trial whether a value was changed; None where that is not known."""
    try:
        kept = [outcomes.of(record) for record in point.records.values()]
    except JournalError:
        return []
    return [None if each is None or each.changed is None else bool(each.changed.any()) for each in kept]
