"""Classifiers of other packages, by scikit-learn's conventions: boosted trees, robust trees, networks."""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted, validate_data


class _LikeliestClass(ClassifierMixin, BaseEstimator):
    """What classifiers with probabilities share."""

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, of shape (n_samples,)."""
        predicted: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return predicted


@dataclass(eq=False, repr=False)
class XGBoostClassifier(_LikeliestClass):
    """``xgboost.XGBClassifier``, which itself takes the labels 0, 1, ... alone.

    Parameters
    ----------
    n_estimators : int, default=100
    learning_rate : float, default=0.3
    max_depth : int, default=6
    reg_lambda : float, default=1.0
        Of the squares of the leaves' values.
    random_state : int or None, default=None
    """

    n_estimators: int = 100
    learning_rate: float = 0.3
    max_depth: int = 6
    reg_lambda: float = 1.0
    random_state: int | None = None

    def fit(self, X: Any, y: Any) -> XGBoostClassifier:
        """Fit the trees.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            May hold NaN.
        y : array-like of shape (n_samples,)
        """
        from xgboost import XGBClassifier

        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite="allow-nan")
        self.classes_, encoded = np.unique(y, return_inverse=True)
        self.model_ = XGBClassifier(**self.get_params(), n_jobs=1).fit(X, encoded)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", ensure_all_finite="allow-nan", reset=False)
        return np.asarray(self.model_.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags


@dataclass(eq=False, repr=False)
class CatBoost(_LikeliestClass):
    """``catboost.CatBoostClassifier``, which itself predicts a column for more than two classes.

    Parameters
    ----------
    iterations : int, default=300
    learning_rate : float or None, default=None
        None: what CatBoost takes for as many rows and iterations.
        Only where ``l2_leaf_reg`` is None, too.
    depth : int, default=6
    l2_leaf_reg : float or None, default=None
        Of the squares of the leaves' values; None: CatBoost's, 3.
    random_seed : int, default=0
    """

    iterations: int = 300
    learning_rate: float | None = None
    depth: int = 6
    l2_leaf_reg: float | None = None
    random_seed: int = 0

    def fit(self, X: Any, y: Any) -> CatBoost:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            May hold NaN.
        y : array-like of shape (n_samples,)
        """
        from catboost import CatBoostClassifier

        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")
        given = {name: value for name, value in self.get_params().items() if value is not None}
        self.model_ = CatBoostClassifier(**given, thread_count=1, verbose=0, allow_writing_files=False).fit(X, y)
        self.classes_ = np.asarray(self.model_.classes_)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite="allow-nan", reset=False)
        return np.asarray(self.model_.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@dataclass(eq=False, repr=False)
class GrootForest(_LikeliestClass):
    """``groot.model.GrootRandomForestClassifier`` on features scaled to their range, as its authors use it.

    Parameters
    ----------
    epsilon : float, default=0.1
        How far each feature may move, as a share of its range in training.
    n_estimators : int, default=100
    min_samples_leaf : int, default=1
    random_state : int or None, default=None
    """

    epsilon: float = 0.1
    n_estimators: int = 100
    min_samples_leaf: int = 1
    random_state: int | None = None

    def fit(self, X: Any, y: Any) -> GrootForest:
        """Fit the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        from groot.model import GrootRandomForestClassifier

        X, y = validate_data(self, X, y)
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"Only binary classification is supported, not {len(self.classes_)} class(es)")
        self.scaler_ = MinMaxScaler().fit(X)
        self.model_ = GrootRandomForestClassifier(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            attack_model=[self.epsilon] * X.shape[1],
            random_state=self.random_state,
        ).fit(self.scaler_.transform(X), encoded)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, 2)."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict_proba(self.scaler_.transform(validate_data(self, X, reset=False))))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


_CLASSES = {"mlp": "MLP_RTDL_D_Classifier", "resnet": "Resnet_RTDL_D_Classifier", "ft-transformer": "FTT_D_Classifier"}


@dataclass(eq=False, repr=False)
class TabularNetwork(_LikeliestClass):
    """A network of Gorishniy et al. 2021 with ``pytabkit``'s defaults.

    It keeps a fifth of the rows to choose the epoch by, and puts each column's quantiles in its values' place.

    Parameters
    ----------
    kind : {"mlp", "resnet", "ft-transformer"}, default="mlp"
    lr : float or None, default=None
        Learning rate; ``pytabkit``'s where None.
    random_state : int, default=0
    """

    kind: Literal["mlp", "resnet", "ft-transformer"] = "mlp"
    lr: float | None = None
    random_state: int = 0

    def fit(self, X: Any, y: Any) -> TabularNetwork:
        """Fit the network, on one thread of the processor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        import pytabkit

        if self.kind not in _CLASSES:
            raise ValueError(f"kind is {self.kind!r}, expected one of {', '.join(_CLASSES)}")
        X, y = validate_data(self, X, y, dtype=float)
        self.classes_ = np.unique(y)
        make = getattr(pytabkit, _CLASSES[self.kind])
        # Otherwise it writes its best epochs into the present folder, and every epoch's losses to the screen.
        with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
            network = make(device="cpu", n_threads=1, lr=self.lr, random_state=self.random_state, tmp_folder=folder)
            self.network_ = network.fit(X, y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        check_is_fitted(self)
        with redirect_stdout(StringIO()):
            return np.asarray(self.network_.predict_proba(validate_data(self, X, dtype=float, reset=False)))


def compile_groot() -> None:
    """Let numba compile the search for splits."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    GrootForest(n_estimators=2).fit(X, np.where(X[:, 0] > 0, 1, -1)).predict(X)


def import_torch() -> None:
    """Importing it takes seconds."""
    import torch

    torch.set_num_threads(1)
