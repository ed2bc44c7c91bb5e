"""query-delete for regression: the deletion of each row that makes a prediction worst, by asking."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult
from benchkit_worst_case.search.asking import Asking
from benchkit_worst_case.search.beam import beam_search


class QueryDeleteRegression:
    """Deletes, step by step, features of each row so that its absolute error becomes as large as it can find.

    A beam search over deletions of features, as `query-delete` has it for classification: of any model, and a lower
    bound of the worst case, which `exact-tree-delete` proves for the models that it reads.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    beam : int, default=8
        How many deletions of each row are kept at each step, one of them that which gains most per value.
    """

    def __init__(self, fill: Literal["zero", "nan", "mean"] = "zero", beam: int = 8) -> None:
        if fill not in ("zero", "nan", "mean"):
            raise ValueError(f"fill is {fill!r}, expected 'zero', 'nan' or 'mean'")
        if isinstance(beam, bool) or beam < 1:
            raise ValueError(f"beam is {beam}, expected a positive number")
        self.fill, self.beam = fill, beam

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row; the truth has ``queries``."""
        features, left = attack.features, attack.left_by(self.fill)
        stored = sparse.issparse(attack.X)
        asking = Asking(attack.model.predict, attack.X, features, left)
        dense = attack.X.toarray() if stored else np.asarray(attack.X, dtype=float)
        same = (dense == left) | (np.isnan(dense) & np.isnan(left))
        deletable = features.sum((~same).astype(int)) > 0

        def errors(rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return np.asarray(np.abs(asking(rows, masks) - attack.y[rows]))

        gone = beam_search(errors, deletable, features.sum(attack.feature_values), attack.budget, self.beam)
        X = np.where(features.spread(gone), left, dense)
        truth = {"taken": gone, "queries": asking.queries}
        return AttackResult(X=sparse.csr_matrix(X) if stored else X, y=attack.y, truth=truth)
