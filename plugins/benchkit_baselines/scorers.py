"""scikit-learn's scorers as metrics, by their names there, and what they need of a model and of the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from benchkit import MetricContext, NotApplicableError

if TYPE_CHECKING:
    import numpy as np

Needs = Literal["predictions", "scores", "probabilities"]


@dataclass(frozen=True)
class Scorer:
    """One of scikit-learn's scorers, which a metric calls with what a model did.

    The second of two classes is the positive one, whatever they are called.

    Parameters
    ----------
    name : str
        As `sklearn.metrics.get_scorer` knows it.
    function : str
        Of `sklearn.metrics`.
    needs : {"predictions", "scores", "probabilities"}, default="predictions"
        What it judges. Scores are those of a decision function, or probabilities.
    binary : bool, default=False
        Whether it is of two classes only.
    sign : float, default=1
        -1 where the scorer is minus the function.
    options : mapping, default={}
        Further arguments of the function.
    """

    name: str
    function: str
    needs: Needs = "predictions"
    binary: bool = False
    sign: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, evaluation: MetricContext) -> float:
        """The score.

        Raises
        ------
        NotApplicableError
            It has no meaning for this model or these labels.
        """
        from sklearn import metrics

        y, answers = evaluation.y, evaluation.predictions
        options = dict(self.options)
        if len(getattr(evaluation.model, "classes_", ())):  # CatBoost's regressor has none of them
            y, answers = self._of_classes(evaluation)
            if self.function in ("log_loss", "roc_auc_score") and answers.ndim == 2:
                options["labels"] = list(range(answers.shape[1]))
        if self.function == "r2_score" and len(y) < 2:
            raise NotApplicableError(f"{self.name} needs two rows")
        return self.sign * float(getattr(metrics, self.function)(y, answers, **options))

    def _of_classes(self, evaluation: MetricContext) -> tuple[np.ndarray, np.ndarray]:
        """True classes as their places among the model's, and the model's answers."""
        import numpy as np

        model, X = evaluation.model, evaluation.X
        known = np.unique(np.concatenate([np.asarray(model.classes_), evaluation.y]))
        if self.binary and len(known) > 2:
            raise NotApplicableError(f"{self.name} is of two classes, and this data has {len(known)}")
        y = np.searchsorted(known, evaluation.y)
        if self.needs == "predictions":
            return y, np.searchsorted(known, evaluation.predictions)
        if len(known) > len(model.classes_):
            raise NotApplicableError(f"{self.name} needs a score of every class, and training lacked one")
        if self.function in ("roc_auc_score", "average_precision_score") and len(np.unique(y)) < len(known):
            raise NotApplicableError(f"{self.name} needs rows of every class in the test part")
        scores = probabilities(evaluation, self.name) if self.needs == "probabilities" else _scores(model, X, self.name)
        # Of two classes the second one's score says all, but the logarithm of both is wanted.
        two = scores.ndim == 2 and scores.shape[1] == 2 and self.function != "log_loss"
        return y, scores[:, 1] if two else scores


def probabilities(evaluation: MetricContext, name: str) -> np.ndarray:
    """Of the classes, shape (n_samples, n_classes)."""
    import numpy as np

    if not hasattr(evaluation.model, "predict_proba"):
        raise NotApplicableError(f"{name} needs probabilities, and {type(evaluation.model).__name__} gives none")
    return np.asarray(evaluation.model.predict_proba(evaluation.X), dtype=float)


def _scores(model: Any, X: Any, name: str) -> np.ndarray:
    import numpy as np

    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(X), dtype=float)
    raise NotApplicableError(f"{name} needs scores, and {type(model).__name__} gives none")


def expected_calibration_error(evaluation: MetricContext, bins: int = 15) -> float:
    """Mean distance of confidence and accuracy over bins of equal width of the confidence (Guo et al. 2017, Eq. 3).

    The confidence is the largest probability of a row.

    Parameters
    ----------
    evaluation : MetricContext
    bins : int, default=15
    """
    import numpy as np

    chances = probabilities(evaluation, "expected-calibration-error")
    confidence = chances.max(axis=1)
    right = np.asarray(evaluation.model.classes_)[chances.argmax(axis=1)] == evaluation.y
    place = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    gaps = np.bincount(place, weights=right - confidence, minlength=bins)
    return float(np.abs(gaps).sum() / len(right))
