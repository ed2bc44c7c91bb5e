"""The adversary: an object with corrupt(attack)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult


class MyMethod:
    """Deletes the features of each row that are largest, so many as the budget says.

    Parameters
    ----------
    signed : bool, default=False
        Whether the largest are the most positive, and not those farthest from zero.
    """

    def __init__(self, signed: bool = False) -> None:
        self.signed = signed

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete ``attack.budget`` features of each row; what is given stays as it is.

        An adversary that draws takes its numbers from ``attack.rng``, the same whatever the budget, so that a larger
        budget deletes what a smaller one does, and more.
        """
        rows = attack.X.toarray() if sparse.issparse(attack.X) else attack.X.copy()
        sizes = rows if self.signed else np.abs(rows)
        largest = np.argsort(-sizes, axis=1, kind="stable")[:, : int(attack.budget)]
        np.put_along_axis(rows, largest, 0.0, axis=1)
        return AttackResult(X=sparse.csr_matrix(rows) if sparse.issparse(attack.X) else rows, y=attack.y)
