"""LP and FDROP as one program, reduced to the columns and entries that decide something."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from benchkit import Features

# Of V, that FDROP's iterates start as if at least so much were left: at K/V = .999, a start at 1/(V - K) is so far out
# that half of the programs do not converge. Smaller shares are worse.
_LEAST_SHARE = 0.2


class Grouped(NamedTuple):
    """How the non-zero x_ij, in the order of the CSR matrix, make up entries.

    ``of`` (n_nonzero,) is the entry of each, ``row`` (n_entries,) the entries' rows and ``value`` v of their features.
    """

    of: np.ndarray
    row: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class Program:
    """The problem that LP and FDROP share, with an entry for each non-zero x_ij.

        min  rho/2 |w|^2 + sum_i c_i xi_i
        s.t. P_i lambda_i - sum_j alpha_ij + y_i b + xi_i >= e_i          (row)
             y_i x_ij w_j - v_j lambda_i + alpha_ij >= g v_j              (entry)
             alpha, xi, lambda >= 0,  |w_j| <= C

    LP (Dekel, Shamir & Xiao 2010, Eq. 4) has rho = 0, c_i = 1/m, g = margin/P, e_i = g Z_i; FDROP (Globerson & Roweis
    2006, Eq. 6) has rho = 1, c_i = C, g = 0, e_i = 1, no box, and P = V - K. Entries x_ij = 0 left in closed form:
    alpha_ij = v_j (lambda_i + g), so that P_i = P - Z_i with Z_i their total value.

    Parameters
    ----------
    X : CSR matrix of shape (n_rows, n_columns)
        The entries.
    y, remaining, required, price : ndarray of shape (n_rows,)
        Labels -1 and +1, P_i, e_i, and c of a unit of slack xi, in proportion to the weights of the rows.
    values, columns : ndarray of shape (n_columns,)
        v, and which of the ``n_features`` features the columns are.
    offset, curvature, box : float
        g; rho, 0 or 1; C, infinite for none.
    scale : float
        Size of a margin: gamma V/P for LP, which grows without bound as N nears V, 1 for FDROP.
    level : float
        Size of lambda: gamma/P for LP, 1/P for FDROP, whose lambda does not grow without bound as K nears V.
    margin : float
        gamma for LP, 1 for FDROP.
    exactly : bool, default=False
        lambda is free: exactly so much is deleted, helpful or not.
    groups : Grouped, optional
        Where a feature has several columns that are not zero in one row. Then an entry is a row's feature, and its
        constraint has sum_j y_i x_ij w_j over the feature's columns; None where every x_ij is an entry.
    """

    X: sparse.csr_matrix
    y: np.ndarray
    values: np.ndarray
    remaining: np.ndarray
    offset: float
    required: np.ndarray
    price: np.ndarray
    curvature: float
    box: float
    fit_intercept: bool
    scale: float
    level: float
    margin: float
    columns: np.ndarray
    n_features: int
    exactly: bool = False
    groups: Grouped | None = None

    @property
    def layout(self) -> Grouped:
        """The entry of each x_ij, and the entries' rows and values."""
        if self.groups is not None:
            return self.groups
        X = self.X
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return Grouped(np.arange(X.nnz), rows, self.values[X.indices])

    @cached_property
    def shift(self) -> np.ndarray:
        """Means of the columns without a zero where the bias is free, 0 for others; shape (n_columns,).

        Whatever is taken from a whole column changes no margin if w_j times it is added to b; nor, as multipliers have
        sum_i y_i t_i = 0, the sum of y_i x_ij t_i.
        """
        m, n = self.X.shape
        shifted = self.fit_intercept & (np.bincount(self.X.indices, minlength=n) == m)
        sums = np.bincount(self.X.indices, weights=self.X.data, minlength=n)
        return np.where(shifted, sums / m, 0.0)

    def gap_unit(self, objective: float) -> float:
        """What tolerances of the gap are relative to, so that they do not depend on the units of X, gamma and C.

        The objective, which FDROP's |w|^2 keeps above 0. LP's optimum may be 0: its unit is at least the mean hinge
        loss, at margin gamma, of the best constant classifier.
        """
        if self.curvature > 0:
            return abs(objective)
        losing = 2 * min(self._of_classes()) if self.fit_intercept else float(self.price.sum())
        return max(abs(objective), self.margin * losing)

    def _of_classes(self) -> tuple[float, float]:
        """What a unit of slack costs in all rows of the negative and of the positive class."""
        return float(self.price[self.y < 0].sum()), float(self.price[self.y > 0].sum())

    def best_constant(self) -> float:
        """The bias of the best weights 0, with which every row requires a margin of ``scale``."""
        negative, positive = self._of_classes()
        return float(np.copysign(self.scale, positive - negative)) if self.fit_intercept else 0.0


@dataclass(frozen=True)
class Solution:
    """Weights (n_columns,) with a bracket of the optimum: their objective, and a lower bound by multipliers.

    ``problem`` says why the solver did not reach its tolerance, empty where it did. ``multipliers`` of the rows and of
    the entries prove ``dual_objective``, see `benchkit_feature_noise.solvers.optimality`.
    """

    coef: np.ndarray
    intercept: float
    objective: float
    dual_objective: float
    n_iter: int
    problem: str = ""
    multipliers: tuple[np.ndarray, np.ndarray] | None = None


class Reduction(NamedTuple):
    """What X and the values of its columns leave that decides something.

    Values are in units of a power of two near the largest: the budget's unit is free, and they keep their digits.
    ``columns`` are those that can have a weight, ``entries``, a CSR matrix, what is not zero of these, ``costs`` what
    deleting each costs: the value of its feature. ``zero`` (n_rows,) is Z_i, the total value of what is zero in each
    row, columns left out included; ``total`` is V, in units of ``unit``; ``n_features`` are the columns of X.
    """

    columns: np.ndarray
    entries: sparse.csr_matrix
    costs: np.ndarray
    zero: np.ndarray
    total: float
    unit: float
    n_features: int
    groups: Grouped | None


def reduce(X: Any, values: np.ndarray, features: Features | None = None, keep_zeros: bool = False) -> Reduction:
    """Columns that can have a weight, their non-zero entries, and how these belong to features.

    A feature of value 0 is deleted wherever it helps, a column without an entry never helps: both have weight 0. With
    ``keep_zeros`` all are entries, as where exactly K features go: zeros may be among them.
    """
    features = features or Features(len(values))
    largest = float(values.max(initial=0.0))
    unit = 2.0 ** float(np.floor(np.log2(largest))) if largest > 0 else 1.0
    of_features = features.sum(values / unit)
    costs = features.spread(of_features)
    entries = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    if keep_zeros:
        (m, n), dense = entries.shape, entries.toarray().ravel()
        entries = sparse.csr_matrix((dense, np.tile(np.arange(n), m), np.arange(0, m * n + 1, n)), (m, n))
    else:
        entries.eliminate_zeros()
    filled = np.bincount(entries.indices, minlength=X.shape[1]) > 0
    columns = np.flatnonzero((costs > 0) & filled)
    if len(columns) < X.shape[1]:
        entries = entries[:, columns]
    entries.sort_indices()
    rows, groups = np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr)), None
    present, weights = rows, costs[columns][entries.indices]
    if not features.plain:
        keys, of = np.unique(
            rows * features.n_features + features.of_column[columns][entries.indices], return_inverse=True
        )
        if len(keys) < len(of):  # some row has two entries of one feature
            present, feature = np.divmod(keys, features.n_features)
            weights = of_features[feature]
            groups = Grouped(of, present, weights)
    total = float((values / unit).sum())
    zero = total - np.bincount(present, weights=weights, minlength=entries.shape[0])
    return Reduction(columns, entries, costs[columns], zero, total, unit, X.shape[1], groups)


def lp_program(
    reduced: Reduction,
    y: np.ndarray,
    C: float,
    noise_budget: float,
    margin: float,
    fit_intercept: bool,
    weights: np.ndarray | None = None,
) -> Program:
    """Eq. 4 of Dekel, Shamir & Xiao 2010; parameters as of its estimator, ``RobustLinearProgram``.

    A row of weight k counts as k rows: xi_i has the price k / (sum of the weights).

    In a row with one entry of a one-hot block that is not zero, deleting the block takes y_i w_j x_ij of that entry
    and no more: the program is that of single columns, each with the value of its block, and V and Z_i count a block
    once.
    """
    remaining = reduced.total - noise_budget / reduced.unit
    offset = margin / remaining
    return Program(
        X=reduced.entries,
        y=y,
        values=reduced.costs,
        remaining=remaining - reduced.zero,
        offset=offset,
        required=offset * reduced.zero,
        price=np.full(len(y), 1.0 / len(y)) if weights is None else weights / weights.sum(),
        curvature=0.0,
        box=C,
        fit_intercept=fit_intercept,
        scale=offset * reduced.total,
        level=offset,
        margin=margin,
        columns=reduced.columns,
        n_features=reduced.n_features,
        groups=reduced.groups,
    )


def fdrop_program(
    reduced: Reduction,
    y: np.ndarray,
    C: float,
    n_deleted: float,
    fit_intercept: bool,
    exactly: bool = False,
    weights: np.ndarray | None = None,
) -> Program:
    """Eq. 6 of Globerson & Roweis 2006; parameters as of its estimator, ``FeatureDroppingSVM``.

    A row of weight k counts as k rows: its C is k C. What is deleted exactly is chosen among all entries: ``reduced``
    has to have the zeros.
    """
    remaining = reduced.total - n_deleted / reduced.unit
    return Program(
        X=reduced.entries,
        y=y,
        values=reduced.costs,
        remaining=remaining - reduced.zero,
        offset=0.0,
        required=np.ones(len(y)),
        price=np.full(len(y), float(C)) if weights is None else C * weights,
        curvature=1.0,
        box=np.inf,
        fit_intercept=fit_intercept,
        scale=1.0,
        level=1.0 / max(remaining, _LEAST_SHARE * reduced.total, 1e-12),
        margin=1.0,
        columns=reduced.columns,
        n_features=reduced.n_features,
        exactly=exactly,
        groups=reduced.groups,
    )


def put_back(program: Program, coef: np.ndarray) -> np.ndarray:
    """Weights of all features, shape (n_features,), from those of the columns."""
    full = np.zeros(program.n_features)
    full[program.columns] = coef
    return full
