"""Mean imputation with columns that say what was missing, before a kernel machine: what practitioners try first."""

from __future__ import annotations

from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline

from benchkit_incomplete_data.estimators.imputed_learners import ImputedRidge, ImputedSVC


def make_indicator_svc(C: float = 1.0, gamma: float | str = "scale") -> Pipeline:
    """Support vector machine on column means and one 0/1 column for each feature with missing values in training.

    Parameters
    ----------
    C : float, default=1.0
    gamma : float or "scale", default="scale"
    """
    return _with_indicators(ImputedSVC(C=C, gamma=gamma))


def make_indicator_ridge(eta: float = 0.1, gamma: float | str = "scale") -> Pipeline:
    """Kernel ridge regression on the same columns as `make_indicator_svc`.

    Parameters
    ----------
    eta : float, default=0.1
    gamma : float or "scale", default="scale"
    """
    return _with_indicators(ImputedRidge(eta=eta, gamma=gamma))


def _with_indicators(learner: Any) -> Pipeline:
    return make_pipeline(SimpleImputer(add_indicator=True, keep_empty_features=True), learner)
