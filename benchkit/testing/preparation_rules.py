"""What every split, preprocessing step and rule for feature values keeps to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from benchkit.plugin.declarations import Features, FeatureValues, PreprocessingStep, SplitMethod
from benchkit.suite.schema import Split
from benchkit.testing.rule import NotAskedError, require, rule
from benchkit.testing.tiny import tiny_classification
from benchkit.trial.splitting import Parts, ask_for_split

_SEED = 7


def _parts(split: SplitMethod) -> Parts:
    """Of the tiny data, held to what a trial's split is held to."""
    try:
        split.make()
    except TypeError as error:
        raise NotAskedError(f"it has parameters without defaults: {error}") from None
    return ask_for_split(split, Split(validation=0.2), tiny_classification(), 0, True, _SEED)


@rule
def divides_the_rows(split: SplitMethod) -> None:
    """It returns three arrays of row numbers, of which none is in two; train and test have rows."""
    _parts(split)


@rule
def splits_the_same_again(split: SplitMethod) -> None:
    """The same seed gives the same parts."""
    first, second = _parts(split), _parts(split)
    for name, one in vars(first).items():
        same = np.array_equal(one, getattr(second, name))
        require(same, f"gives another {name} part the second time: seed it with context.random_state")


@rule
def keeps_rows_and_columns(step: PreprocessingStep) -> None:
    """What it makes of a part has the part's rows and columns, in training and afterwards."""
    X = tiny_classification().X
    transformer = _made(step)
    for made, before in ((transformer.fit_transform(X[:40]), X[:40]), (transformer.transform(X[40:]), X[40:])):
        shapes = f"makes {made.shape} of {before.shape}"
        require(made.shape == before.shape, f"{shapes}: names, groups and values are the columns'")


@rule
def lets_gaps_pass(step: PreprocessingStep) -> None:
    """NaN is left where it is, for the methods that take it."""
    X = np.array(tiny_classification().X, dtype=float)
    X[::7, 0] = np.nan
    made = np.asarray(_made(step).fit_transform(X))
    require(np.array_equal(np.isnan(made), np.isnan(X)), "fills gaps or makes some: only 'impute' does that")


def _made(step: PreprocessingStep) -> Any:
    try:
        return Pipeline([("step", step.make())])  # as in a trial: it asks whether the step is fitted
    except TypeError as error:
        raise NotAskedError(f"it needs an argument: {error}") from None


@rule
def values_are_costs(values: FeatureValues) -> None:
    """Finite numbers that are not negative, one for each feature or each column, the same again; not all are 0."""
    data = tiny_classification()
    for groups in ((), ((0, 1),)):
        features = Features(data.X.shape[1], groups)
        first, second = (np.asarray(values.compute(data.X, data.y, features), dtype=float) for _ in range(2))
        right = first.shape in ((features.n_features,), (features.n_columns,))
        expected = f"{features.n_features} features of {features.n_columns} columns"
        require(right, f"gives numbers of shape {first.shape} for {expected}")
        require(np.all(np.isfinite(first)) and np.all(first >= 0), "gives numbers that are negative or not finite")
        require(first.sum() > 0, "every feature costs 0")
        require(np.array_equal(first, second), "gives other numbers the second time")


SPLIT_RULES = (divides_the_rows, splits_the_same_again)
STEP_RULES = (keeps_rows_and_columns, lets_gaps_pass)
VALUES_RULES = (values_are_costs,)
