"""The adversary under whom the same columns die for all rows: of any model, by asking it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from benchkit import AttackContext, AttackResult
from benchkit_worst_case.search.asking import Asking
from benchkit_worst_case.search.worst_columns import WorstColumns


class FailingColumnsQuery:
    """Deletes the same features of all rows: those whose loss the model takes worst, as far as asking it can find.

    What is made as large as possible is the error rate, and among sets of equal error what the true class is behind on
    average; in regression the mean absolute or squared error. A larger budget never does less. Of models that
    exact-tree-delete reads, what it proves row by row is a bound of this: no set for all rows does more.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    exact_below : int, default=500
        All sets of a size are tried while that makes at most so many in all; the rest is greedy, with exchanges. 0: no
        size is tried whole.
    loss : {"absolute", "squared"}, default="absolute"
        Of regression.
    """

    def __init__(
        self,
        fill: Literal["zero", "nan", "mean"] = "zero",
        exact_below: int = 500,
        loss: Literal["absolute", "squared"] = "absolute",
    ) -> None:
        if fill not in ("zero", "nan", "mean"):
            raise ValueError(f"fill is {fill!r}, expected 'zero', 'nan' or 'mean'")
        if isinstance(exact_below, bool) or exact_below < 0:
            raise ValueError(f"exact_below is {exact_below}, expected a number of sets")
        if loss not in ("absolute", "squared"):
            raise ValueError(f"loss is {loss!r}, expected 'absolute' or 'squared'")
        self.fill, self.exact_below, self.loss = fill, exact_below, loss

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete at most ``attack.budget`` features.

        The truth tells ``dead_features``, their numbers; ``dead_names``; ``is_worst``, whether no set of as many does
        more; and ``queries``, how many rows the model was asked about.
        """
        features, left = attack.features, attack.left_by(self.fill)
        damage = _Damage(attack, left, self.loss == "squared")
        dead, exact = WorstColumns(damage, features.n_features, self.exact_below).search(int(attack.budget))
        truth = {
            "dead_features": np.flatnonzero(dead),
            "dead_names": _names(attack, dead),
            "is_worst": exact,
            "queries": sum(asking.queries for asking in damage.asked),
        }
        gone = np.broadcast_to(features.spread(dead), attack.X.shape)
        if not sparse.issparse(attack.X):
            return AttackResult(X=np.where(gone, left, attack.X), y=attack.y, truth=truth)
        kept = sparse.diags((~features.spread(dead)).astype(float))
        return AttackResult(X=sparse.csr_matrix(attack.X @ kept), y=attack.y, truth=truth)


class _Damage:
    """How much the loss of a set of features costs, and what it costs among sets of equal error."""

    def __init__(self, attack: AttackContext, left: np.ndarray, squared: bool) -> None:
        self.attack, self.squared, model = attack, squared, attack.model
        self.predictions = Asking(model.predict, attack.X, attack.features, left)
        self.asked = [self.predictions]
        self.scores: Asking | None = None
        self.classifies = is_classifier(model)
        known = np.asarray(getattr(model, "classes_", np.unique(attack.y)))
        score = getattr(model, "decision_function", None) or getattr(model, "predict_proba", None)
        if self.classifies and score is not None and np.isin(attack.y, known).all():
            self.codes, self.n_classes = np.searchsorted(known, attack.y), len(known)
            self.scores = Asking(score, attack.X, attack.features, left)
            self.asked.append(self.scores)

    def __call__(self, masks: np.ndarray) -> np.ndarray:
        n_rows = self.attack.X.shape[0]
        rows, lost = np.tile(np.arange(n_rows), len(masks)), np.repeat(masks, n_rows, axis=0)
        said, truth = self.predictions(rows, lost), np.tile(self.attack.y, len(masks))
        if not self.classifies:
            errors = np.abs(said - truth) ** (2 if self.squared else 1)
            return np.asarray(errors.reshape(len(masks), -1).mean(axis=1)[:, None])
        wrong = (said != truth).reshape(len(masks), -1).mean(axis=1)
        if self.scores is None:
            return np.asarray(wrong[:, None])
        behind = -_ahead(self.scores(rows, lost), np.tile(self.codes, len(masks)), self.n_classes)
        return np.column_stack([wrong, behind.reshape(len(masks), -1).mean(axis=1)])


def _ahead(scores: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """How far the true class is ahead of the best other one; 0 where scores are not one for each class."""
    if scores.ndim == 1:
        return np.where(codes == 1, scores, -scores)
    if scores.shape[1] != n_classes:
        return np.zeros(len(codes))
    own = scores[np.arange(len(codes)), codes]
    others = np.array(scores, dtype=float)
    others[np.arange(len(codes)), codes] = -np.inf
    ahead: np.ndarray = own - others.max(axis=1)
    return ahead


def _names(attack: AttackContext, dead: np.ndarray) -> list[str]:
    """The names of features, a group's where it has one; numbers of columns where there are none."""
    features = attack.features
    grouped = dict(zip((min(group) for group in attack.groups if len(group)), attack.group_names, strict=False))
    columns = [int(np.flatnonzero(features.of_column == feature)[0]) for feature in np.flatnonzero(dead)]
    named: Any = attack.feature_names
    return [str(grouped.get(column, named[column] if len(named) else column)) for column in columns]
