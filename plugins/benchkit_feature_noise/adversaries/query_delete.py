"""An adversary that knows a model only by its answers, and searches for the deletion that fools it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.deletion import Choice, Fill, check_fill, delete
from benchkit_feature_noise.adversaries.true_class_score import TrueClassScore
from benchkit_feature_noise.worst_case.threat import gain_per_value

_HASH_SEED = 20


class QueryDelete:
    """Deletes, step by step, features of each row so that the true class's score becomes as low as it can find.

    The score is the decision function of the true class minus that of the best other class, or the like of
    ``predict_proba`` where a model has no decision function. A beam search: of each row, the deletions of the lowest
    scores are kept at each step and each is extended by every feature that the budget allows. One of them is always
    the greedy one, which takes the feature that lowers the score most per value; with a beam of 1 it is the only one.
    The lowest score that was seen counts: a deletion that raises the score is only a step on the way. On a linear
    model this does at least what greedy-delete does, and the same where all features have one value: the exact worst.

    Parameters
    ----------
    candidates : int or None, default=None
        Only so many features of each row are tried in later steps: the best of the first step. None: all of them, at
        the cost of one query per row, step, kept deletion and non-zero feature.
    beam : int, default=8
        How many deletions of each row are kept at each step. Trees have plateaus, where only two deletions together
        change anything: a beam of 1 stands still there.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`. NaN tells a model that takes missing values that a feature is
        gone; models that refuse NaN are not applicable.
    stop_when_fooled : bool, default=True
        Whether a row is left as it is once its true class's score is below zero: the prediction is wrong, and more
        deletions would only make a metric that measures by how much worse.
    """

    def __init__(
        self,
        candidates: int | None = None,
        beam: int = 8,
        fill: Fill = "zero",
        stop_when_fooled: bool = True,
    ) -> None:
        if candidates is not None and candidates < 1:
            raise ValueError(f"candidates is {candidates}, expected a positive number or none")
        if beam < 1:
            raise ValueError(f"beam is {beam}, expected a positive number")
        check_fill(fill)
        self.candidates, self.beam, self.fill, self.stop_when_fooled = candidates, beam, fill, stop_when_fooled

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        score = self.ask(attack)
        corrupted = delete(attack.X, attack.features, self.choice(attack, score), score.left)
        return AttackResult(X=corrupted, y=attack.y, truth={"queries": score.queries})

    def ask(self, attack: AttackContext) -> TrueClassScore:
        """The way to the model's answers."""
        left = attack.left_by(self.fill)
        score = TrueClassScore(attack.model, sparse.issparse(attack.X), attack.features, left)
        score.check(attack.X)
        return score

    def choice(self, attack: AttackContext, score: TrueClassScore) -> Choice:
        """What to delete of which rows."""
        truth = np.searchsorted(attack.model.classes_, attack.y)
        values = attack.features.sum(attack.feature_values)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return self._choose(score, dense, truth[rows], values, attack.budget)

        return choose

    def _choose(
        self, score: TrueClassScore, X: np.ndarray, truth: np.ndarray, values: np.ndarray, budget: float
    ) -> np.ndarray:
        X = np.array(X, dtype=float)
        search = _Beam(score.deletable(X), values, budget * (1 + 1e-12), score(X, truth))
        first = True
        while True:
            if self.stop_when_fooled:
                search.leave(search.lowest < 0)
            rows, states, features = search.extensions()
            if len(rows) == 0:
                return search.best
            search.extend(score.of_deletions(X, truth, rows, search.deleted[rows, states], features))
            if first and self.candidates is not None:
                search.keep_features(self.candidates)
            first = False
            search.select(self.beam)


class _Beam:
    """The deletions of some rows that are kept, and the best that was seen of each row.

    Parameters
    ----------
    deletable : ndarray of bool, shape (n_rows, n_features)
    values : ndarray of shape (n_features,)
    budget : float
    scores : ndarray of shape (n_rows,)
        With nothing deleted.
    """

    def __init__(self, deletable: np.ndarray, values: np.ndarray, budget: float, scores: np.ndarray) -> None:
        n_rows, n_features = deletable.shape
        self.values = values
        self.deleted = np.zeros((n_rows, 1, n_features), dtype=bool)
        self.left = np.full((n_rows, 1), budget)
        self.scores = scores[:, None].copy()
        self.keys = np.zeros((n_rows, 1), dtype=np.uint64)
        self.best, self.lowest = self.deleted[:, 0].copy(), scores.copy()
        self.promising = deletable
        # The key of a deletion is the exclusive or of its features': the same however it was reached.
        self._bits = np.random.default_rng(_HASH_SEED).integers(1, 2**63, n_features, dtype=np.uint64)

    def leave(self, rows: np.ndarray) -> None:
        """Search no further in these rows, a mask."""
        self.promising[rows] = False

    def extensions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, kept deletions and features that may be deleted next."""
        affordable = self.values <= self.left[:, :, None]
        live = np.isfinite(self.scores)[:, :, None]
        self._open = np.nonzero(self.promising[:, None, :] & ~self.deleted & affordable & live)
        return self._open

    def extend(self, scores: np.ndarray) -> None:
        """Note the scores of what `extensions` named."""
        rows, states, features = self._open
        self._after = np.full(self.deleted.shape, np.inf)
        self._after[rows, states, features] = scores
        flat = self._after.reshape(len(self._after), -1)
        place = flat.argmin(axis=1)
        reached = flat[np.arange(len(flat)), place]
        better = np.flatnonzero(reached < self.lowest)
        states, features = np.divmod(place[better], self.deleted.shape[2])
        self.best[better] = self.deleted[better, states]
        self.best[better, features] = True
        self.lowest[better] = reached[better]

    def keep_features(self, count: int) -> None:
        """Of each row, leave the features out that did least per value in the first step."""
        ratio = self._greedy_ratio()
        if count < ratio.shape[1]:
            dropped = np.argsort(-ratio, axis=1, kind="stable")[:, count:]
            np.put_along_axis(self.promising, dropped, False, axis=1)
            np.put_along_axis(self._after[:, 0], dropped, np.inf, axis=1)

    def _greedy_ratio(self) -> np.ndarray:
        """What deleting each feature after the greedy deletion gains per value; -inf where it may not be deleted."""
        after = self._after[:, 0]
        ratio = np.full(after.shape, -np.inf)
        rows, features = np.nonzero(np.isfinite(after))
        gained = self.scores[rows, 0] - after[rows, features]
        # A feature of value 0 costs nothing: whether it helps or harms is all that counts.
        lost = np.minimum(gained, 0.0)
        ratio[rows, features] = np.where(gained > 0, gain_per_value(gained, self.values[features]), lost)
        return ratio

    def select(self, width: int) -> None:
        """Keep the greedy extension, and those of the lowest scores, each deletion once."""
        n_rows, _, n_features = self._after.shape
        flat = self._after.reshape(n_rows, -1)
        keys = (self.keys[:, :, None] ^ self._bits).reshape(n_rows, -1)
        ratio = self._greedy_ratio()
        greedy = ratio.argmax(axis=1)
        chosen = np.full((n_rows, width), -1)
        rows = np.arange(n_rows)
        chosen[:, 0] = np.where(ratio[rows, greedy] > -np.inf, greedy, -1)
        # A deletion of k features is reached from at most k others, and from no more than are kept.
        considered = min(flat.shape[1], width * self.deleted.shape[1]) if width > 1 else 0
        order = np.argsort(flat, axis=1, kind="stable")[:, :considered]
        filled = np.ones(n_rows, dtype=int)
        taken = np.where(chosen >= 0, np.take_along_axis(keys, np.maximum(chosen, 0), axis=1), 0).astype(np.uint64)
        for place in order.T:
            key = keys[rows, place]
            new = np.isfinite(flat[rows, place]) & (filled < width) & ~(taken == key[:, None]).any(axis=1)
            at = rows[new], filled[new]
            chosen[at], taken[at] = place[new], key[new]
            filled[new] += 1
        self._become(chosen, flat, taken, n_features)

    def _become(self, chosen: np.ndarray, flat: np.ndarray, keys: np.ndarray, n_features: int) -> None:
        kept = int((chosen >= 0).any(axis=0).nonzero()[0].max(initial=0)) + 1
        chosen = chosen[:, :kept]
        states, features = np.divmod(np.maximum(chosen, 0), n_features)
        rows = np.arange(len(chosen))[:, None]
        deleted = self.deleted[rows, states]
        deleted[rows, np.arange(kept), features] = True
        self.left = self.left[rows, states] - self.values[features]
        self.scores = np.where(chosen >= 0, np.take_along_axis(flat, np.maximum(chosen, 0), axis=1), np.inf)
        self.deleted, self.keys = deleted, keys[:, :kept]
