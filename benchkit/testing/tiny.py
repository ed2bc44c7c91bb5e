"""Data and arrays that are small, for rules and tests."""

from typing import Any

import numpy as np

from benchkit.plugin.declarations import AttackContext, Data
from benchkit.trial.preparation import dense


def changed(before: Any, after: Any) -> np.ndarray:
    """Which entries differ, as a boolean array; NaN, which alone is not itself, is no difference from NaN."""
    before, after = dense(before), dense(after)
    differ: np.ndarray = (before != after) & ~((before != before) & (after != after))
    return differ


def same(first: Any, second: Any) -> bool:
    """Whether shapes and all entries are equal; NaN equals NaN."""
    return np.shape(first) == np.shape(second) and not changed(first, second).any()


N_FEATURES = 6
_NAMES = tuple(f"f{column}" for column in range(N_FEATURES))


def data_for(task: str, seed: int = 0) -> Data:
    """Tiny data of a task."""
    return tiny_classification(seed=seed) if task == "classification" else tiny_regression(seed=seed)


def tiny_classification(n_samples: int = 60, seed: int = 0, n_classes: int = 2) -> Data:
    """Gaussian classes around means that differ in every feature; standardised columns.

    Parameters
    ----------
    n_samples : int, default=60
    seed : int, default=0
    n_classes : int, default=2
        Labels are -1 and +1 for two classes, 0, 1, ... otherwise.

    Returns
    -------
    Data
        X of shape (n_samples, 6).
    """
    rng = np.random.default_rng([seed, n_classes])
    classes = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_classes, N_FEATURES))[classes] + rng.normal(size=(n_samples, N_FEATURES))
    y = 2 * classes - 1 if n_classes == 2 else classes
    return Data(X=(X - X.mean(axis=0)) / X.std(axis=0), y=y, feature_names=_NAMES)


def tiny_regression(n_samples: int = 60, seed: int = 0) -> Data:
    """A linear rule with noise of a tenth of its size; standardised columns.

    Parameters
    ----------
    n_samples : int, default=60
    seed : int, default=0

    Returns
    -------
    Data
        X of shape (n_samples, 6); the truth holds ``coef``.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, N_FEATURES))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    coef = rng.normal(size=N_FEATURES)
    y = X @ coef
    y += 0.1 * y.std() * rng.normal(size=n_samples)
    return Data(X=X, y=y, feature_names=_NAMES, truth={"coef": coef})


def tiny_attack(data: Data, budget: float, model: Any = None, seed: int = 0, values: Any = None) -> AttackContext:
    """What an adversary is given of some data; arrays are read-only, as in a trial.

    Parameters
    ----------
    data : Data
    budget : float
    model : object or None
        The fitted estimator; an adversary of phase ``train`` gets none.
    seed : int, default=0
        Of the adversary's stream.
    values : array of shape (n_features,) or None
        Feature values; ones where None.
    """
    only_at_test: dict[str, Any] = {}
    if model is not None:
        only_at_test = {"raw": data.X, "deviations": data.X.std(axis=0), "data": data, "rows": np.arange(len(data.y))}
        only_at_test |= {"train_X": data.X, "train_y": data.y, "means": data.X.mean(axis=0)}
    return AttackContext(
        X=data.X,
        y=data.y,
        budget=budget,
        feature_values=np.ones(data.X.shape[1]) if values is None else np.asarray(values, dtype=float),
        rng=np.random.default_rng(seed),
        model=model,
        feature_names=data.feature_names,
        groups=data.groups,
        group_names=data.group_names,
        **only_at_test,
    )
