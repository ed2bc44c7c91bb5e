"""Single imputations, by name: what infinite imputations start from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.impute import KNNImputer, SimpleImputer

from benchkit_incomplete_data.priors.class_mean import ClassMeanImputer
from benchkit_incomplete_data.priors.gaussian_em import GaussianEMImputer
from benchkit_incomplete_data.priors.mixture_em import GaussianMixtureEMImputer

NAMES = ("mean", "class-mean", "gaussian-em", "mixture-em", "knn", "iterative")


def make_prior(
    prior: Any, params: Mapping[str, Any] | None, kernel: str, gamma: float | str, random_state: np.random.RandomState
) -> Any:
    """An unfitted imputer: one of `NAMES`, or one that takes NaN, which is cloned; with its ``params``.

    By ``kernel`` and ``gamma`` "class-mean" measures distances; ``random_state`` is for "mixture-em" and "iterative",
    unless ``params`` have one.
    """
    given = dict(params or {})
    if not isinstance(prior, str):
        if not hasattr(prior, "transform"):
            raise ValueError(f"prior is {prior!r}, expected one of {', '.join(NAMES)}, or an imputer")
        return clone(prior).set_params(**given)
    if prior == "mean":
        return SimpleImputer(**{"keep_empty_features": True, **given})
    if prior == "class-mean":
        return ClassMeanImputer(**{"kernel": kernel, "gamma": gamma, **given})
    if prior == "gaussian-em":
        return GaussianEMImputer(**given)
    if prior == "knn":
        return KNNImputer(**{"keep_empty_features": True, **given})
    seeded = {"random_state": random_state.randint(2**31 - 1), **given}
    if prior == "mixture-em":
        return GaussianMixtureEMImputer(**seeded)
    if prior == "iterative":
        # scikit-learn keeps it behind this import, which is its public way in.
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        return IterativeImputer(**{"keep_empty_features": True, **seeded})
    raise ValueError(f"prior is {prior!r}, expected one of {', '.join(NAMES)}, or an imputer")


def fill(imputer: Any, filled: Any, X: np.ndarray) -> np.ndarray:
    """What an imputer made of rows with NaN, shape (n_samples, n_features), checked.

    Raises ValueError where columns were left out or added, or values are still missing.
    """
    imputed = np.array(filled, dtype=np.float64)
    if imputed.shape != X.shape:
        raise ValueError(
            f"{imputer!r} made an array of shape {imputed.shape} out of {X.shape}: an imputer has to keep all columns "
            "and add none (see keep_empty_features and add_indicator)"
        )
    if not np.isfinite(imputed).all():
        raise ValueError(f"{imputer!r} left values missing or infinite")
    return imputed
