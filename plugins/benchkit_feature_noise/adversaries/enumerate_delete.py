"""The adversary that tries every deletion: the yardstick of all others, for rows of few features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, NotApplicableError
from benchkit_feature_noise.adversaries.deletion import Fill, check_fill, delete
from benchkit_feature_noise.adversaries.true_class_score import TrueClassScore
from benchkit_feature_noise.worst_case.threat import dense_blocks

_AT_ONCE = 2**16


class EnumerateDelete:
    """Asks any model about every deletion that the budget allows, and takes the lowest score of the true class.

    Exact for whatever model, forests and boosted trees included, at one query for each row and affordable set of
    the features that deletion changes, the non-zero ones where it leaves zeros: 2 to the power of their number at most.

    Parameters
    ----------
    max_features : int, default=12
        Rows with more features that deletion changes are refused.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, max_features: int = 12, fill: Fill = "zero") -> None:
        check_fill(fill)
        if not 1 <= max_features <= 20:
            raise ValueError(f"max_features is {max_features}, expected 1 to 20")
        self.max_features, self.fill = max_features, fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        features, left = attack.features, attack.left_by(self.fill)
        score = TrueClassScore(attack.model, sparse.issparse(attack.X), features, left)
        score.check(attack.X)
        blocks = (score.deletable(dense) for _, dense in dense_blocks(attack.X))
        most = max((int(present.sum(axis=1).max(initial=0)) for present in blocks), default=0)
        if most > self.max_features:
            raise NotApplicableError(
                f"a row has {most} features that deletion changes; every deletion of at most "
                f"{self.max_features} is tried"
            )
        truth = np.searchsorted(attack.model.classes_, attack.y)
        values = features.sum(attack.feature_values)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            present = score.deletable(dense)
            deleted = np.zeros(present.shape, dtype=bool)
            for places, chosen in _alike(present):
                sets = affordable_sets(values[chosen], attack.budget)
                masks = np.zeros((len(sets), features.n_features), dtype=bool)
                masks[:, chosen] = sets
                deleted[places] = _lowest(score, dense[places], truth[rows][places], masks)
            return deleted

        corrupted = delete(attack.X, features, choose, left)
        return AttackResult(X=corrupted, y=attack.y, truth={"queries": score.queries})


def affordable_sets(values: np.ndarray, budget: float) -> np.ndarray:
    """Every set of features of total value at most the budget, the smallest sets first.

    Parameters
    ----------
    values : ndarray of shape (n_features,)
    budget : float

    Returns
    -------
    ndarray of bool, shape (n_sets, n_features)
    """
    numbers = np.arange(2 ** len(values))
    sets = (numbers[:, None] >> np.arange(len(values)) & 1).astype(bool)
    sets = sets[sets @ values <= budget * (1 + 1e-12)]
    ordered: np.ndarray = sets[np.argsort(sets.sum(axis=1), kind="stable")]
    return ordered


def _alike(present: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows that have the same features, with these."""
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    return [(np.flatnonzero(which.ravel() == place), np.flatnonzero(each)) for place, each in enumerate(patterns)]


def _lowest(score: TrueClassScore, X: np.ndarray, truth: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The first of the masks that give each row its lowest score."""
    best = np.zeros((len(X), masks.shape[1]), dtype=bool)
    gone = score.features.spread(masks)
    step = max(1, _AT_ONCE // len(masks))
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        queries = np.where(gone, score.left, rows[:, None, :]).reshape(-1, X.shape[1])
        answers = score(queries, np.repeat(truth[start : start + step], len(masks)))
        best[start : start + step] = masks[answers.reshape(len(rows), -1).argmin(axis=1)]
    return best
