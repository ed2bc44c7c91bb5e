"""Whole views that go missing, such as sensors: Dick, Haider & Scheffer 2008, section 6 (the mine data)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from benchkit import AttackContext, AttackResult, NotApplicableError
from benchkit_incomplete_data.adversaries.removal import remove, smallest


class MissingViews:
    """Removes a fraction of all pairs of a row and a view; a larger fraction removes what a smaller one does, and more.

    Parameters
    ----------
    views : sequence of sequences of int, or None, default=None
        The columns (from 0) of each view; the dataset's groups where None. Columns of no view are never removed.
    """

    def __init__(self, views: Sequence[Sequence[int]] | None = None) -> None:
        if views is not None and not all(isinstance(view, Sequence) and all(map(_is_column, view)) for view in views):
            raise ValueError(f"views is {views!r}, expected lists of column numbers")
        self.views = views

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Put NaN for ``attack.budget`` of the pairs."""
        n, d = attack.X.shape
        views = attack.groups if self.views is None else self.views
        if not views:
            raise NotApplicableError("missing-views needs a dataset with groups of columns, or the parameter 'views'")
        columns = [column for view in views for column in view]
        if len(set(columns)) < len(columns) or not set(columns) <= set(range(d)):
            raise ValueError(f"views must name different columns from 0 to {d - 1}, each in one view")
        gone = smallest(attack.rng.random((n, len(views))), attack.budget)
        missing = np.zeros((n, d), dtype=bool)
        for place, view in enumerate(views):
            missing[:, list(view)] = gone[:, [place]]
        return remove(attack, missing)


def _is_column(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
