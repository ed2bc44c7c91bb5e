"""Networks of ``pytabkit`` that leave no files behind and print nothing."""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

_CLASSES = {
    "mlp": "MLP_RTDL_D_Classifier",
    "resnet": "Resnet_RTDL_D_Classifier",
    "ft-transformer": "FTT_D_Classifier",
}


@dataclass(eq=False, repr=False)
class TabularNetwork(ClassifierMixin, BaseEstimator):
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

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
