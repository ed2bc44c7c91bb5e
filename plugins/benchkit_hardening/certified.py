"""Models that prove of themselves what may be lost: a vote of parts, a model for each gap; and the metric of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state, get_tags

from benchkit import Features, MetricContext, NotApplicableError, check_count
from benchkit_deletion.threat import left_by
from benchkit_hardening.hardened import TakesGaps, new_learner, not_installed

_MOST_MODELS = 1_000
_MOST_LOSSES = 5_000


class _Certified(ClassifierMixin, TakesGaps):  # type: ignore[misc]
    groups: Sequence[Sequence[int]]

    def _costs(self, feature_values: np.ndarray | None) -> tuple[Features, np.ndarray]:
        """Which columns are one feature, and what each feature costs: the sum of its columns, or 1."""
        features = Features(self.n_features_in_, self.groups)
        return features, np.ones(features.n_features) if feature_values is None else features.sum(feature_values)


@dataclass(eq=False, repr=False)
class GapModel(_Certified):
    """A classifier on all features, and one on those that are left for each set of up to ``n_lost`` lost ones.

    A row is answered by the classifier that lacks what the row lacks. Where more is gone, by the mean of what the
    classifiers say that each lack ``n_lost`` of it, with the training means in place of the rest.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        The classifier: scikit-learn's on histograms ("gradient-boosting"), its forest ("random-forest"), another
        method by its name, such as "xgboost", or an object, which is cloned.
    n_lost : int, default=1
        Features that may be gone together with a classifier of their own: 57 features make 58 classifiers, two at a
        time 1,654.
    groups : sequence of sequences of int, default=()
        Columns that are one feature: a source of data, which is there or not.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    models_ : dict of tuple of int to fitted estimator
        By the numbers of the lost features.
    means_ : ndarray of shape (n_features_in_,)
        Of the training part, without its gaps.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    Saar-Tsechansky & Provost 2007, Handling missing values when applying classification models: reduced models.
    """

    certifies = "gaps"

    estimator: Any = "gradient-boosting"
    n_lost: int = 1
    groups: Sequence[Sequence[int]] = ()
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifiers; gaps of the training part are filled with the means."""
        X, y = self._checked_classes(X, y)
        check_count(n_lost=self.n_lost)
        features = Features(X.shape[1], self.groups)
        most = min(self.n_lost, features.n_features - 1)
        number = sum(comb(features.n_features, size) for size in range(most + 1))
        if number > _MOST_MODELS:
            raise ValueError(
                f"n_lost is {self.n_lost}, which for {features.n_features} features makes {number:,} classifiers; "
                f"at most {_MOST_MODELS:,}: lower it, or make groups of columns that are lost together"
            )
        self.means_ = left_by("mean", X)
        filled = np.where(np.isnan(X), self.means_, X)
        learner = new_learner(self.estimator, check_random_state(self.random_state))
        subsets = [lost for size in range(most + 1) for lost in combinations(range(features.n_features), size)]
        columns = [self._left(features, lost) for lost in subsets]
        self.models_ = dict(zip(subsets, fit_each(learner, filled, y, columns), strict=True))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, of shape (n_samples,)."""
        chances = self.predict_proba(X)
        likeliest: np.ndarray = self.classes_[chances.argmax(axis=1)]
        return likeliest

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes); shares of classifiers that have none."""
        X = self._checked(X)
        features = Features(X.shape[1], self.groups)
        gaps = np.isnan(X)
        filled = np.where(gaps, self.means_, X)
        chances = np.zeros((len(X), len(self.classes_)))
        patterns, of_row = np.unique(features.sum(gaps.astype(int)) > 0, axis=0, return_inverse=True)
        most = max(map(len, self.models_))
        for place, pattern in enumerate(patterns):
            rows = np.flatnonzero(of_row.ravel() == place)
            lost = np.flatnonzero(pattern).tolist()
            asked = list(combinations(lost, min(len(lost), most)))
            for each in asked:
                chances[rows] += self._chances(each, filled[rows][:, self._left(features, each)]) / len(asked)
        return chances

    def certified(self, X: Any, budget: float, feature_values: np.ndarray | None = None) -> np.ndarray:
        """Which rows keep their class whatever features of a total value are gaps: shape (n_samples,). By trying all.

        X is before anything is lost; ``feature_values`` are what each column costs, a group their sum, or 1 each where
        None. Raises NotApplicableError where there are more than 5,000 sets of features to try.
        """
        X = np.asarray(X, dtype=float)
        features, values = self._costs(feature_values)
        predicted = self.predict(X)
        kept = np.ones(len(X), dtype=bool)
        for number, lost in enumerate(affordable(values, budget * (1 + 1e-12))):
            if number == _MOST_LOSSES:
                raise NotApplicableError(f"more than {_MOST_LOSSES:,} sets of features can be lost for {budget:g}")
            gone = np.zeros((1, features.n_features), dtype=bool)
            gone[0, list(lost)] = True
            rows = np.flatnonzero(kept)
            kept[rows] = self.predict(np.where(features.spread(gone), np.nan, X[rows])) == predicted[rows]
            if not kept.any():
                break
        return kept

    def _chances(self, lost: tuple[int, ...], X: np.ndarray) -> np.ndarray:
        model = self.models_[lost]
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(X))
        return np.asarray(np.asarray(model.predict(X))[:, None] == self.classes_, dtype=float)

    @staticmethod
    def _left(features: Features, lost: tuple[int, ...]) -> np.ndarray:
        """Columns of the features that are not lost."""
        return np.flatnonzero(~np.isin(features.of_column, lost))


def fit_each(learner: Any, X: np.ndarray, y: np.ndarray, parts: Sequence[np.ndarray]) -> list[Any]:
    """A classifier for each part of the columns."""
    try:
        return [clone(learner).fit(X[:, columns], y) for columns in parts]
    except ModuleNotFoundError as error:
        raise not_installed(error) from error


def affordable(values: np.ndarray, budget: float) -> Iterator[tuple[int, ...]]:
    """All sets of one feature or more whose values sum to no more than the budget, small sets first."""
    for size in range(1, len(values) + 1):
        if np.sort(values)[:size].sum() > budget:
            return
        for chosen in combinations(range(len(values)), size):
            if values[list(chosen)].sum() <= budget:
                yield chosen


@dataclass(eq=False, repr=False)
class FeaturePartition(_Certified):
    """A classifier for each part of the features, and the class that most of them say.

    A feature that is lost, or holds anything at all, changes one vote. How many votes the class that wins is ahead thus
    proves how many features may go without another class winning, whatever the classifiers are.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        The classifier: scikit-learn's on histograms ("gradient-boosting"), its forest ("random-forest"), another
        method by its name, such as "xgboost", or an object, which is cloned.
    n_parts : int, default=5
        Parts that the features are cut into at random, of sizes as alike as can be; at most one for each feature, and
        one fewer where that is even: two classes would tie.
    groups : sequence of sequences of int, default=()
        Columns that are one feature.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    parts_ : list of ndarray of int
        Columns of each part.
    models_ : list of fitted estimators
    fill_ : ndarray of shape (n_features_in_,)
        What the classifiers get in place of NaN.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    Calzavara, Lucchese, Marcuzzi & Orlando 2021, Feature partitioning for robust tree ensembles and their certification
    in adversarial scenarios; Hammoudeh & Lowd 2024, Provable robustness against a union of l0 adversarial attacks.
    """

    certifies = "anything"

    estimator: Any = "gradient-boosting"
    n_parts: int = 5
    groups: Sequence[Sequence[int]] = ()
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a classifier on each part; one that does not take NaN gets the means of the training part."""
        X, y = self._checked_classes(X, y)
        check_count(n_parts=self.n_parts)
        rng = check_random_state(self.random_state)
        learner = new_learner(self.estimator, rng)
        self.fill_ = left_by("nan" if get_tags(learner).input_tags.allow_nan else "mean", X)
        X = np.where(np.isnan(X), self.fill_, X)
        features = Features(X.shape[1], self.groups)
        drawn = rng.permutation(features.n_features)
        self._part_of = np.empty(features.n_features, dtype=int)
        most = min(self.n_parts, features.n_features)
        self._part_of[drawn] = np.arange(features.n_features) % (most if most % 2 else most - 1)
        of_column = self._part_of[features.of_column]
        self.parts_ = [np.flatnonzero(of_column == part) for part in range(of_column.max() + 1)]
        self.models_ = fit_each(learner, X, y, self.parts_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of most votes, the first of those that have as many: shape (n_samples,)."""
        counts = self._votes(X).sum(axis=0)
        winner: np.ndarray = self.classes_[counts.argmax(axis=1)]
        return winner

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the votes, of shape (n_samples, n_classes)."""
        return np.asarray(self._votes(X).mean(axis=0))

    def certified(self, X: Any, budget: float, feature_values: np.ndarray | None = None) -> np.ndarray:
        """Which rows keep their class whatever becomes of features of a total value; as of `GapModel.certified`."""
        votes = self._votes(X)
        _, values = self._costs(feature_values)
        price = np.full(len(self.parts_), np.inf)
        np.minimum.at(price, self._part_of, values)
        kept: np.ndarray = least_cost_of_another_winner(votes, price) > budget * (1 + 1e-12)
        return kept

    def _votes(self, X: Any) -> np.ndarray:
        """One in the class that each model says: shape (n_parts, n_samples, n_classes)."""
        X = self._checked(X)
        X = np.where(np.isnan(X), self.fill_, X)
        said = [np.asarray(model.predict(X[:, part])) for model, part in zip(self.models_, self.parts_, strict=True)]
        return np.array([each[:, None] == self.classes_ for each in said])


def least_cost_of_another_winner(votes: np.ndarray, price: np.ndarray) -> np.ndarray:
    """What it costs at least to make another class win, if a voter can be made to say anything at its price.

    A voter of the winner who says the rival closes the gap by two, one of a third class by one (Hammoudeh & Lowd 2024
    for equal prices, where the former are enough); ties go to the class that comes first. ``votes`` is a mask of shape
    (n_voters, n_rows, n_classes).
    """
    counts = votes.sum(axis=0)
    winner = counts.argmax(axis=1)
    least = np.full(len(winner), np.inf)
    for row, won in enumerate(winner):
        of_winner = _prefix_sums(price[votes[:, row, won]])
        for rival in range(counts.shape[1]):
            if rival == won:
                continue
            of_others = _prefix_sums(price[~votes[:, row, won] & ~votes[:, row, rival]])
            needed = int(counts[row, won] - counts[row, rival]) + (won < rival)
            for twice, cost in enumerate(of_winner):
                once = max(0, needed - 2 * twice)
                if once < len(of_others):
                    least[row] = min(least[row], cost + of_others[once])
    return least


def _prefix_sums(prices: np.ndarray) -> np.ndarray:
    """What the cheapest 0, 1, 2, ... cost together."""
    return np.concatenate([[0.0], np.cumsum(np.sort(prices))])


def model_certified_accuracy(evaluation: MetricContext) -> float:
    """Share of rows that are right and that the model itself proves to stay so, whatever features of the budget go.

    The model has ``certified(X, budget, feature_values)``, a mask of rows, and says in ``certifies`` against what: its
    proof is of "anything" in place of what is lost, or of "gaps" alone.
    """
    model = evaluation.model
    if not hasattr(model, "certified"):
        raise NotApplicableError(
            f"{type(model).__name__} proves nothing of itself, as feature-partition and gap-model do"
        )
    clean = evaluation.uncorrupted if evaluation.uncorrupted is not None else evaluation.X
    if sparse.issparse(clean):
        raise NotApplicableError("needs dense data")
    changed = (clean != evaluation.X) & ~(np.isnan(evaluation.X) & np.isnan(clean))
    if model.certifies == "gaps" and not np.isnan(evaluation.X[changed]).all():
        raise NotApplicableError(
            f"{type(model).__name__} proves what gaps do, and this adversary leaves values: give it 'fill: nan'"
        )
    kept = model.certified(clean, evaluation.budget, evaluation.prices)
    return float((kept & (model.predict(clean) == evaluation.y)).mean())
