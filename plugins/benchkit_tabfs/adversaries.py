"""Columns that all rows lose at once, by their correlations: the scenarios of Cheng et al. 2025 (TabFSBench)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from math import comb
from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, Features, NotApplicableError, check_count

Scenario = Literal["single", "least", "most", "random"]
Fill = Literal["mean-mode", "nan", "zero"]
Order = Literal["training", "all"]

_WORDS = {"scenario": ("single", "least", "most", "random"), "fill": ("mean-mode", "nan", "zero")}


class ColumnShift:
    """Takes whole columns from all rows; the features of the data are the columns, a one-hot block being one.

    Parameters
    ----------
    scenario : {"single", "least", "most", "random"}
        ``least`` and ``most`` take as many columns as the budget, in the order of the absolute value of Pearson's
        correlation with the target, from the least or the most. ``single`` takes one: the budget says which, 1 being
        the least correlated and the number of columns the most. ``random`` takes as many as the budget, the same of
        all rows; a larger budget takes what a smaller one does, and more.
    fill : {"mean-mode", "nan", "zero"}, default="mean-mode"
        What is left: the training part's mean of a number and mode of a category, or what `AttackContext.left_by` says.
    order : {"training", "all"}, default="training"
        Of which rows the correlations are: the training part, as who deploys a model knows them; or that and the
        attacked rows, which is all of the data where there is no validation part, as the benchmark has it.
    subset : int or None, default=None
        With ``random``: not a draw, but the subset of this number, from 0, among all of the budget's size in
        lexicographic order, counted modulo how many there are.
    shared_frames : bool, default=False
        A control: from budget 1 on all columns are gone, as where the tables of all degrees are one table that is
        changed in place. Not with ``random``.
    recode : bool, default=False
        A control: after the fill each category that is one column of codes is numbered anew by what is left in it, at
        budget 0, too.

    Raises
    ------
    ValueError
        A word is none of these, or two do not go together.
    """

    def __init__(
        self,
        scenario: Scenario,
        fill: Fill = "mean-mode",
        order: Order = "training",
        subset: int | None = None,
        shared_frames: bool = False,
        recode: bool = False,
    ) -> None:
        for name, given, words in (
            ("scenario", scenario, _WORDS["scenario"]),
            ("fill", fill, _WORDS["fill"]),
            ("order", order, ("training", "all")),
        ):
            if given not in words:
                raise ValueError(f"{name} is {given!r}, expected one of {', '.join(words)}")
        if subset is not None:
            check_count(least=0, subset=subset)
            if scenario != "random":
                raise ValueError(f"subset goes with scenario: random, not with {scenario}")
        if shared_frames and scenario == "random":
            raise ValueError("shared_frames does not go with scenario: random, whose tables are apart")
        if recode and fill == "nan":
            raise ValueError("recode numbers what is left: it does not go with fill: nan")
        self.scenario, self.fill, self.order = scenario, fill, order
        self.subset, self.shared_frames, self.recode = subset, shared_frames, recode

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Take columns; the truth ``shifted_features`` has their numbers in the order in which they go."""
        features = attack.features
        shifted = self._shifted(attack, features)
        going = np.zeros(features.n_features, dtype=bool)
        going[shifted] = True
        columns = features.spread(going)
        if sparse.issparse(attack.X):
            if self.fill != "zero" or self.recode:
                raise NotApplicableError(
                    f"fill: {self.fill} needs dense data: sparse data is left sparse by fill: zero"
                )
            kept = sparse.diags_array((~columns).astype(float), format="csr")
            X = sparse.csr_matrix(attack.X @ kept)
            X.eliminate_zeros()
        else:
            X = np.where(columns, self._left(attack), attack.X)
        if self.recode:
            X = self._recoded(X, attack)
        return AttackResult(X=X, y=attack.y, truth={"shifted_features": shifted})

    def _shifted(self, attack: AttackContext, features: Features) -> np.ndarray:
        count, n = int(attack.budget), features.n_features
        if self.scenario == "random":
            drawn = attack.rng.permutation(n)
            if self.subset is None:
                return drawn[:count]
            number = self.subset % comb(n, count)
            return np.array(next(islice(combinations(range(n), count), number, None)), dtype=int)
        correlations = self._correlations(attack, features)
        ascending = np.argsort(correlations, kind="stable")
        if self.shared_frames and count:
            return ascending
        if self.scenario == "single":
            return ascending[count - 1 : count] if count else ascending[:0]
        if self.scenario == "least":
            return ascending[:count]
        # Not the other order backwards: among equals the first column goes first here, too.
        return np.argsort(-correlations, kind="stable")[:count]

    def _correlations(self, attack: AttackContext, features: Features) -> np.ndarray:
        X, y = _training_part(attack)
        if self.order == "all":
            rows = attack.X.toarray() if sparse.issparse(attack.X) else attack.X
            X, y = np.concatenate([X, rows]), np.concatenate([y, attack.y])
        return absolute_correlations(X, y, features)

    def _left(self, attack: AttackContext) -> np.ndarray:
        if self.fill != "mean-mode":
            return attack.left_by(self.fill)
        categories = categories_of(attack.groups, attack.group_names, attack.feature_names)
        return means_and_modes(_training_part(attack)[0], categories)

    def _recoded(self, X: np.ndarray, attack: AttackContext) -> np.ndarray:
        recoded = X.copy()
        for columns in categories_of(attack.groups, attack.group_names, attack.feature_names):
            if len(columns) > 1:
                raise NotApplicableError("recode needs categories as codes, one column each: say encoding: codes")
            recoded[:, columns[0]] = np.unique(X[:, columns[0]], return_inverse=True)[1]
        return recoded


def _training_part(attack: AttackContext) -> tuple[np.ndarray, np.ndarray]:
    if attack.train_X is None or attack.train_y is None:
        raise NotApplicableError("column-shift needs the training part")
    X = attack.train_X
    return (X.toarray() if sparse.issparse(X) else np.asarray(X)), attack.train_y


def absolute_correlations(X: np.ndarray, y: np.ndarray, features: Features) -> np.ndarray:
    """|Pearson's correlation| of each feature with the target, shape (n_features,), from 0 to 1.

    A feature of several columns, such as a one-hot block, has their multiple correlation: the largest |correlation|
    that a weighted sum of its columns has with the target. Of one column that is |Pearson's|. A constant has 0.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Rows with a gap in a feature do not count for it.
    y : ndarray of shape (n_rows,)
        Targets; classes are numbered 0, 1, ... in sorted order.
    features : Features
        Which columns are one feature.
    """
    target = y.astype(float) if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1].astype(float)
    found = np.zeros(features.n_features)
    for feature in range(features.n_features):
        columns = X[:, features.of_column == feature]
        known = ~np.isnan(columns).any(axis=1)
        found[feature] = _multiple_correlation(columns[known], target[known])
    return found


def _multiple_correlation(columns: np.ndarray, target: np.ndarray) -> float:
    if len(target) < 2 or np.ptp(target) == 0:
        return 0.0
    # A constant has no correlation. Less than its mean's rounding is no variation.
    columns = columns[:, np.ptp(columns, axis=0) > 0]
    if not columns.shape[1]:
        return 0.0
    centred, response = columns - columns.mean(axis=0), target - target.mean()
    if columns.shape[1] == 1:
        column = centred[:, 0]
        r = abs(column @ response) / np.sqrt((column @ column) * (response @ response))
        return float(min(1.0, r))
    centred /= np.sqrt((centred**2).sum(axis=0))
    fitted = centred @ np.linalg.lstsq(centred, response, rcond=None)[0]
    return float(min(1.0, np.sqrt((fitted @ fitted) / (response @ response))))


def categories_of(
    groups: Sequence[Sequence[int]], group_names: Sequence[str], feature_names: Sequence[str]
) -> list[list[int]]:
    """Columns of each group that is a category: several, or one whose name is not the group's, as ``Sex=code``."""
    found = []
    for group, name in zip(groups, group_names or [""] * len(groups), strict=True):
        coded = len(group) == 1 and name and len(feature_names) > group[0] and feature_names[group[0]] != name
        if len(group) > 1 or coded:
            found.append(list(group))
    return found


def means_and_modes(X: np.ndarray, categories: Sequence[Sequence[int]]) -> np.ndarray:
    """What is put into each column, shape (n_columns,); 0 where a column has no value at all.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The training part; gaps do not count.
    categories : sequence of sequences of int
        Columns of each category: they get their most frequent row, of equally frequent ones the first category's, which
        is the smallest code, or the first of the one-hot columns. All other columns get their means.
    """
    known = ~np.isnan(X)
    # As numpy.mean adds up, so that anybody's mean of the column is the same to the last digit.
    filling = np.array([X[known[:, j], j].mean() if known[:, j].any() else 0.0 for j in range(X.shape[1])])
    for columns in categories:
        rows = X[known[:, columns].all(axis=1)][:, columns]
        if len(rows):
            values, counts = np.unique(rows, axis=0, return_counts=True)
            frequent = values[counts == counts.max()]
            filling[columns] = frequent[0 if len(columns) == 1 else -1]
    return filling
