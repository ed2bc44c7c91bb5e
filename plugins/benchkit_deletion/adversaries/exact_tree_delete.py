"""The adversary that deletes optimally from models made of trees, and from other sums of terms."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, check_count
from benchkit_deletion.models.reading import read_model
from benchkit_deletion.threat import Fill, check_fill, delete
from benchkit_deletion.worst_deletion import Search, WorstDeletion, compile_search

NODE_LIMIT = 10_000


class ExactTreeDelete:
    """Reads the model's trees and deletes from each row the features that the worst case loses.

    By branch and bound: no other deletion within the budget leaves the true class a lower margin over the best other
    one, or, in regression, makes the absolute error larger. A row whose search meets its limit is *open*: it loses the
    worst deletion that was found, and what is proved is a bracket.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`. NaN goes each library's own way.
    node_limit : int, default=10,000
        Nodes of the search for each row and rival class, and for each direction of an error. A number of nodes and no
        time, so that each run gives the same.
    stop_when_fooled : bool, default=False
        Whether the search for a row ends once it is decided whether some deletion makes it wrong, which is all that the
        error asks. The margin that is reached is then not the least.
    """

    def __init__(self, fill: Fill = "zero", node_limit: int = NODE_LIMIT, stop_when_fooled: bool = False) -> None:
        check_count(node_limit=node_limit)
        self.fill, self.node_limit, self.stop_when_fooled = check_fill(fill), node_limit, stop_when_fooled

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row.

        The truth tells of each row ``taken``, a boolean mask of shape (n_rows, n_features); ``worst_score``, the margin
        that is left or minus the absolute error; ``worst_score_bound``, below which no deletion gets; ``closed``,
        whether that is proved to be the worst; ``search_nodes``; ``row_seconds``. And ``scores_are_margins``, whether
        they are no errors, and ``score_rounding``, how far the library's own score may be from the exact one.
        """
        features, left = attack.features, attack.left_by(self.fill)
        model = read_model(attack.model, attack.X, left)
        compile_search()
        values = features.sum(attack.feature_values)
        until_decided = self.stop_when_fooled and model.classes is not None
        search = Search(features, values, attack.budget, self.node_limit, until_decided)
        stored, found = sparse.issparse(attack.X), []

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            seen, leaves, y = np.asarray(dense, dtype=float), left, attack.y[rows]
            if stored and model.terms.absent_is_missing:
                seen, leaves = np.where(dense == 0, np.nan, dense), np.where(left == 0, np.nan, left)
            known = np.ones(len(y), dtype=bool) if model.classes is None else np.isin(y, model.classes)
            of_known = search.rows(model, seen[known], y[known], leaves)
            of_rows = [next(of_known) if is_known else _already_wrong(features.n_features) for is_known in known]
            found.extend(of_rows)
            return np.array([each.deleted for each in of_rows]).reshape(len(y), -1)

        X = delete(attack.X, features, choose, left)
        truth = {
            "taken": np.array([each.deleted for each in found]),
            "worst_score": np.array([each.score for each in found]),
            "worst_score_bound": np.array([each.bound for each in found]),
            "closed": np.array([each.closed for each in found]),
            "search_nodes": np.array([each.nodes for each in found]),
            "row_seconds": np.array([each.seconds for each in found]),
            "scores_are_margins": model.classes is not None,
            "score_rounding": model.rounding,
        }
        return AttackResult(X=X, y=attack.y, truth=truth)


def _already_wrong(n_features: int) -> WorstDeletion:
    """A row of a class that the model does not know: nothing need be deleted."""
    return WorstDeletion(np.zeros(n_features, dtype=bool), -np.inf, -np.inf, True, 0, 0.0)
