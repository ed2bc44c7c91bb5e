"""What counts as one feature: a column, or a group of columns that live and die together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class Features:
    """The features that the columns of X belong to.

    A group, such as a one-hot block, is one feature; every column in no group is one. Features are in the order of
    their first columns. What is additive over columns, such as values and contributions to a margin, is summed to
    features; what is decided for features, such as deletion, holds for all their columns.

    Parameters
    ----------
    n_columns : int
        Of X.
    groups : sequence of sequences of int, default=()
        Columns of each group, no column in two of them.

    Attributes
    ----------
    n_columns, n_features : int
    of_column : ndarray of int, shape (n_columns,)
        The feature of each column.
    plain : bool
        Whether every column is a feature.

    Raises
    ------
    ValueError
        A group names a column that is not there, or one that another group has.
    """

    def __init__(self, n_columns: int, groups: Iterable[Sequence[int]] = ()) -> None:
        import numpy as np

        first = np.arange(n_columns)
        taken: set[int] = set()
        self.n_columns = n_columns
        for group in groups:
            columns = [int(column) for column in group]
            if taken.intersection(columns) or len(set(columns)) < len(columns):
                raise ValueError("a column is in two groups, or twice in one")
            if columns and not 0 <= min(columns) <= max(columns) < n_columns:
                raise ValueError(f"a group has column {max(columns)}; columns are 0 to {n_columns - 1}")
            taken.update(columns)
            if columns:
                first[columns] = min(columns)
        self.of_column: np.ndarray = first
        self.n_features, self.plain = n_columns, True
        if not taken:
            return  # as every trial finds it whose data has no groups
        starts, owners = np.unique(first, return_inverse=True)
        self.of_column = owners
        self.n_features = len(starts)
        self.plain = self.n_features == n_columns
        # Columns in the order of their features, and where each feature begins among them.
        self._order = np.argsort(owners, kind="stable")
        self._starts = np.searchsorted(owners[self._order], np.arange(self.n_features))

    def sum(self, columns: np.ndarray) -> np.ndarray:
        """Sums over the columns of each feature: from shape (..., n_columns) to (..., n_features)."""
        import numpy as np

        if self.plain:
            return columns
        sums: np.ndarray = np.add.reduceat(columns[..., self._order], self._starts, axis=-1)
        return sums

    def spread(self, features: np.ndarray) -> np.ndarray:
        """What each column's feature has: from shape (..., n_features) to (..., n_columns)."""
        return features if self.plain else features[..., self.of_column]

    def share(self, features: np.ndarray) -> np.ndarray:
        """What each column has of its feature's amount, in equal parts, so that `sum` gives it back."""
        import numpy as np

        if self.plain:
            return features
        sizes = np.bincount(self.of_column, minlength=self.n_features)
        shares: np.ndarray = (features / sizes)[..., self.of_column]
        return shares

    def one_hot(self, X: Any) -> bool:
        """Whether no row of X has two entries of one feature that are not zero: dense or sparse (n_rows, n_columns)."""
        import numpy as np

        if self.plain:
            return True
        rows, columns = X.nonzero()
        places = rows.astype(np.int64) * self.n_features + self.of_column[columns]
        return bool(len(np.unique(places)) == len(places))
