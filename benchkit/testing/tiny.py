"""Data of a few rows, on which rules are tried in milliseconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit.plugin.declarations import AttackContext, Categories, Data

N_FEATURES = 6


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
    centres = rng.normal(size=(n_classes, N_FEATURES))
    X = centres[classes] + rng.normal(size=(n_samples, N_FEATURES))
    y = 2 * classes - 1 if n_classes == 2 else classes
    return Data(X=(X - X.mean(axis=0)) / X.std(axis=0), y=y, feature_names=_names())


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
    return Data(X=X, y=y, feature_names=_names(), truth={"coef": coef})


def tiny_table(n_samples: int = 60, seed: int = 0) -> Data:
    """Two classes, three numbers and a category of three values in columns of 0 and 1; who and when stand beside.

    Parameters
    ----------
    n_samples : int, default=60
    seed : int, default=0

    Returns
    -------
    Data
        X of shape (n_samples, 6), whose columns 3 to 5 are one group; ``columns`` has an entity that comes again every
        ten rows, and a time.
    """
    numbers = tiny_classification(n_samples, seed)
    category = np.random.default_rng(seed).integers(3, size=n_samples)
    rows = np.arange(n_samples)
    return Data(
        X=np.hstack([numbers.X[:, :3], np.eye(3)[category]]),
        y=numbers.y,
        feature_names=_names(),
        groups=[[3, 4, 5]],
        group_names=["category"],
        columns={"entity": Categories.of(f"e{row % 10}" for row in rows), "time": rows // 10},
    )


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
    n_features = data.X.shape[1]
    return AttackContext(
        X=data.X,
        y=data.y,
        budget=budget,
        feature_values=np.ones(n_features) if values is None else np.asarray(values, dtype=float),
        rng=np.random.default_rng(seed),
        model=model,
        raw=data.X if model is not None else None,
        deviations=data.X.std(axis=0) if model is not None else None,
        feature_names=data.feature_names,
        groups=data.groups,
        group_names=data.group_names,
        data=data if model is not None else None,
        rows=np.arange(len(data.y)) if model is not None else None,
        train_X=data.X if model is not None else None,
        train_y=data.y if model is not None else None,
    )


def _names() -> list[str]:
    return [f"f{column}" for column in range(N_FEATURES)]
