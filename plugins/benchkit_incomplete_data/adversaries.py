"""Adversaries that remove values of the training part (Dick, Haider & Scheffer 2008, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Literal

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from benchkit import AttackContext, AttackResult, NotApplicableError, check_choice


class MissingAtRandom:
    """Removes a fraction of all entries, drawn uniformly; a larger fraction removes what a smaller one does, and more.

    An entry is a row's value of a feature: a group of columns, such as a one-hot block, goes whole. A row may lose all
    its values, and a column too.
    """

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Put NaN for ``attack.budget`` of the entries."""
        check_dense(attack)
        features = attack.features
        keys = attack.rng.random((attack.X.shape[0], features.n_features))
        return remove(attack, features.spread(smallest(keys, attack.budget)))


class MissingNotAtRandom:
    """Removes a fraction of all entries, the likelier the larger the value or the label.

    Entry (i, j) is drawn without replacement with odds proportional to exp(strength r), r from -1 to 1 being the rank
    of x_ij in its column, or of y_i among the labels (of classes in words, by the alphabet), equal values sharing one;
    a larger fraction removes what a smaller one does, and more. A group of columns is one entry and goes whole; its r
    is that of its largest column.

    Parameters
    ----------
    by : {"value", "label"}, default="value"
    strength : float, default=2.0
        0 is missing at random; the odds of the largest are exp(2 strength) times those of the smallest. A column of one
        value alone has r = 0.
    """

    def __init__(self, by: Literal["value", "label"] = "value", strength: float = 2.0) -> None:
        check_choice(("value", "label"), by=by)
        if isinstance(strength, bool) or not (isinstance(strength, Real) and np.isfinite(strength)):
            raise ValueError(f"strength is {strength!r}, expected a number")
        self.by = by
        self.strength = strength

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Put NaN for ``attack.budget`` of the entries."""
        check_dense(attack)
        labels = np.unique(attack.y, return_inverse=True)[1]
        decisive = np.asarray(attack.X) if self.by == "value" else labels[:, None]
        ranks = rankdata(decisive, axis=0, nan_policy="omit")
        least, most = np.fmin.reduce(ranks, axis=0), np.fmax.reduce(ranks, axis=0)
        middle, reach = (least + most) / 2, (most - least) / 2
        standing = np.nan_to_num((ranks - middle) / np.where(reach > 0, reach, 1.0))
        features = attack.features
        if not features.plain and standing.shape[1] == features.n_columns:
            standing = np.column_stack(
                [standing[:, features.of_column == feature].max(axis=1) for feature in range(features.n_features)]
            )
        # The smallest of exponential times with rates exp(strength r): drawing without replacement by those odds.
        times = attack.rng.exponential(size=(attack.X.shape[0], features.n_features)) / np.exp(self.strength * standing)
        return remove(attack, features.spread(smallest(times, attack.budget)))


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
        check_dense(attack)
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


def remove(attack: AttackContext, missing: np.ndarray) -> AttackResult:
    """The rows with NaN where the mask says, which becomes the truth ``missing``."""
    return AttackResult(X=np.where(missing, np.nan, attack.X), y=attack.y, truth={"missing": missing})


def check_dense(attack: AttackContext) -> None:
    """Refuse sparse data, in which a missing value has no place of its own."""
    if sparse.issparse(attack.X):
        raise NotApplicableError("missing values need dense data")


def smallest(keys: np.ndarray, share: float) -> np.ndarray:
    """Mask of the smallest keys, so large a share of them: a larger share holds what a smaller one does."""
    order = np.argsort(keys, axis=None, kind="stable")
    mask = np.zeros(keys.size, dtype=bool)
    mask[order[: round(share * keys.size)]] = True
    return mask.reshape(keys.shape)
