"""A fitted model as a sum of terms: which reader it takes, and a check that it answers as the sum does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import ensemble, naive_bayes, tree
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from benchkit import NotApplicableError
from benchkit_deletion.models import additive, libraries
from benchkit_deletion.models.trees import TreeSum

_CHECKED_ROWS = 32
_AGREEMENT = 1e-6


@dataclass(frozen=True)
class SumModel:
    """A fitted model that is a sum of terms, with ``base`` (n_outputs,) added.

    ``classes`` is None for regression; the one output of two classes is positive for the second. ``rounding`` is how
    far a margin that the library computes may be from the exact one.
    """

    terms: TreeSum | additive.TermSum
    base: np.ndarray
    classes: np.ndarray | None
    rounding: float

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Margins of the second class, scores of the classes or predictions: shape (n_rows, n_outputs)."""
        scores: np.ndarray = self.terms.scores(X) + self.base
        return scores


def read_model(model: Any, X: Any, left: np.ndarray) -> SumModel:
    """A fitted model as a sum, checked against its own answers.

    Parameters
    ----------
    model : object
        A tree, forest or boosting of scikit-learn, XGBoost, LightGBM or CatBoost; a linear model; a naive Bayes of
        scikit-learn; an explainable boosting machine, or another that says what its terms are as this does
        (``eval_terms``, ``term_features_``). Or a scikit-learn pipeline that ends in one and changes nothing
        before; or an estimator that holds one as ``model_`` and answers as it does.
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
        Rows that will be asked about: the first ones, whole and with features deleted, are what is checked.
    left : ndarray of shape (n_columns,)
        What deletion leaves.

    Raises
    ------
    NotApplicableError
        The model is none of these, or does not answer as the sum does.
    """
    inner = _innermost(model)
    read, answer = _reader(inner)
    terms = read(inner)
    asked = _rows_to_check(X, left)
    as_answered = sparse.csr_matrix(asked) if sparse.issparse(X) else asked
    try:
        said, predicted = answer(as_answered), np.asarray(model.predict(as_answered)).ravel()
    except ValueError as error:
        raise NotApplicableError(f"{type(model).__name__} does not answer about deleted features: {error}") from error
    if sparse.issparse(X) and terms.absent_is_missing:
        asked = np.where(asked == 0, np.nan, asked)
    with np.errstate(invalid="ignore"):
        summed = terms.scores(asked)
    if said.shape != summed.shape:
        raise NotApplicableError(f"the scores of {type(model).__name__} are not one sum per class")
    base = (said - summed).mean(axis=0) if terms.constant is None else terms.constant
    # CatBoost's regressors have classes_, too: none.
    classes = np.asarray(model.classes_) if np.size(getattr(model, "classes_", ())) else None
    rounding = terms.rounding * (2 if summed.shape[1] > 1 else 1) + 2.0**-52 * float(np.abs(base).max(initial=0.0))
    found = SumModel(terms, base, classes, rounding)
    _check_agreement(model, found, summed + base, said, predicted)
    return found


def _innermost(model: Any) -> Any:
    """The library's own estimator."""
    if isinstance(model, Pipeline):
        for name, step in model.steps[:-1]:
            identity = isinstance(step, FunctionTransformer) and step.func is None
            if step not in (None, "passthrough") and not identity:
                raise NotApplicableError(
                    f"step {name!r} of the pipeline changes features before the trees see them: "
                    "name it under 'preprocess' of the suite instead"
                )
        return _innermost(model.steps[-1][1])
    if _package(model) not in _PACKAGES and not hasattr(model, "coef_") and hasattr(model, "model_"):
        return _innermost(model.model_)
    return model


_PACKAGES = ("sklearn", "xgboost", "lightgbm", "catboost", "interpret")

Reader = Callable[[Any], TreeSum | additive.TermSum]
Answer = Callable[[Any], np.ndarray]


_OF_PACKAGES: dict[str, tuple[Reader, dict[str, Any]]] = {
    "xgboost": (libraries.read_xgboost, {"output_margin": True}),
    "lightgbm": (libraries.read_lightgbm, {"raw_score": True}),
    "catboost": (libraries.read_catboost, {"prediction_type": "RawFormulaVal"}),
}
_FORESTS = (
    *(tree.BaseDecisionTree, ensemble.RandomForestClassifier, ensemble.RandomForestRegressor),
    *(ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor),
)
_BOOSTED = (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor)
_BOOSTED_ON_HISTOGRAMS = (ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor)
_OF_CLASSES: Sequence[tuple[Any, Reader, str]] = (
    (_FORESTS, libraries.read_tree_or_forest, "predict_proba"),
    (_BOOSTED, libraries.read_gradient_boosting, "decision_function"),
    (_BOOSTED_ON_HISTOGRAMS, libraries.read_histogram_boosting, "decision_function"),
    (naive_bayes.GaussianNB, additive.read_gaussian_naive_bayes, "predict_joint_log_proba"),
    (naive_bayes.BernoulliNB, additive.read_bernoulli_naive_bayes, "predict_joint_log_proba"),
    (naive_bayes.MultinomialNB, additive.read_multinomial_naive_bayes, "predict_joint_log_proba"),
)


def _reader(model: Any) -> tuple[Reader, Answer]:
    """How a model is read, and how its library is asked for the same number."""
    if (package := _package(model)) in _OF_PACKAGES:
        read, options = _OF_PACKAGES[package]
        return read, lambda X: _columns(model.predict(X, **options))
    if hasattr(model, "eval_terms") and hasattr(model, "term_features_"):
        return additive.read_explainable_boosting, _answer(model, "decision_function")
    for kinds, read, answer in _OF_CLASSES:
        if isinstance(model, kinds):
            return read, _answer(model, answer)
    if hasattr(model, "coef_") and hasattr(model, "intercept_"):
        return additive.read_linear, _answer(model, "decision_function")
    raise NotApplicableError(
        f"{type(model).__name__} is neither made of trees nor a sum of functions of features: "
        "query-delete asks any model"
    )


def _package(model: Any) -> str:
    """Where a model's class comes from."""
    return type(model).__module__.split(".")[0]


def _answer(model: Any, of_classes: str) -> Answer:
    """A method of a classifier, or the difference of the two columns that it gives; else predictions."""
    if not hasattr(model, "classes_"):
        return lambda X: _columns(model.predict(X))
    ask = getattr(model, of_classes, None) or model.predict

    def scores(X: Any) -> np.ndarray:
        said = _columns(ask(X))
        return said[:, 1:] - said[:, :1] if said.shape[1] == 2 else said

    return scores


def _columns(scores: Any) -> np.ndarray:
    array = np.asarray(scores, dtype=float)
    return array[:, None] if array.ndim == 1 else array


def _rows_to_check(X: Any, left: np.ndarray) -> np.ndarray:
    rows = X[:_CHECKED_ROWS].toarray() if sparse.issparse(X) else np.array(X[:_CHECKED_ROWS], dtype=float)
    some = np.random.default_rng(0).random(rows.shape) < 0.5
    return np.concatenate([rows, np.where(some, left, rows), left[None, :]])


def _check_agreement(model: Any, found: SumModel, summed: np.ndarray, said: np.ndarray, predicted: np.ndarray) -> None:
    """Refuse a model whose answers or predictions are not those of the sum."""
    name = type(model).__name__
    off = float(np.abs(said - summed).max())
    if not off <= _AGREEMENT * (1 + float(np.abs(said).max())) + found.rounding:
        raise NotApplicableError(
            f"{name} does not answer as the sum of its terms does, as models with a link function do not: "
            f"it is off by {off:.2g}"
        )
    if found.classes is None:
        expected = summed[:, 0]
        wrong = bool((np.abs(predicted.astype(float) - expected) > _AGREEMENT * (1 + np.abs(expected))).any())
    else:
        scores = np.concatenate([np.zeros_like(summed), summed], axis=1) if summed.shape[1] == 1 else summed
        highest = np.sort(scores, axis=1)
        clear = highest[:, -1] - highest[:, -2] > found.rounding + _AGREEMENT
        wrong = bool((predicted != found.classes[scores.argmax(axis=1)])[clear].any())
    if wrong:
        raise NotApplicableError(
            f"{name} does not predict what the sum of its terms says: a threshold other than a margin of 0?"
        )
