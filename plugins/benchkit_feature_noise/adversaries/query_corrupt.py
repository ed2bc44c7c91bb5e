"""greedy-corrupt for models that are known by their answers alone."""

from __future__ import annotations

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.deletion import replace
from benchkit_feature_noise.adversaries.greedy_corrupt import moments
from benchkit_feature_noise.adversaries.query_delete import QueryDelete


class QueryCorrupt:
    """Chooses features as query-delete does and replaces them by noise.

    The noise is normal with the feature's own mean and variance over the rows to be corrupted (Dekel, Shamir & Xiao
    2010, section 4), and that of an entry does not depend on the budget or the model.

    Parameters
    ----------
    candidates : int or None, default=None
    beam : int, default=8
        As for `QueryDelete`, which here goes on after a row is fooled: noise may be kinder than a zero.
    """

    def __init__(self, candidates: int | None = None, beam: int = 8) -> None:
        QueryDelete(candidates, beam)  # which checks them
        self.candidates, self.beam = candidates, beam

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Replace features of total value at most ``attack.budget`` in each row."""
        chooser = QueryDelete(self.candidates, self.beam, stop_when_fooled=False)
        score = chooser.ask(attack)
        mean, deviation = moments(attack.X)

        def draw(rows: slice, dense: np.ndarray) -> np.ndarray:
            return mean + deviation * attack.rng.standard_normal(dense.shape)

        corrupted = replace(attack.X, attack.features, chooser.choice(attack, score), draw)
        return AttackResult(X=corrupted, y=attack.y, truth={"queries": score.queries})
