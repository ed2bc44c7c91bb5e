"""What prepares a trial's data: splits, preprocessing steps and feature values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchkit.plugin.declarations.declaration import Declaration

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations.dataset import Categories


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitContext:
    """What a split method is given.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        As loaded. Not to be modified.
    y : ndarray of shape (n_samples,)
        Labels or targets.
    repetition : int
        From 0.
    random_state : int
        Seed of this repetition, the same for every method and adversary.
    classify : bool
        Whether ``y`` holds classes.
    stratify : bool
        Whether the suite wants classes to keep their proportions.
    train, validation, test : float, int or None
        Sizes that the suite asks for: fractions, or counts of rows; a ``train`` of 0.5 where it says nothing.
    feature_names : sequence of str
        Of the columns, where the data has names for them.
    groups : ndarray of int of shape (n_samples,) or None
        Where the suite says ``groups: COLUMN``: rows of one number are not to stand in two parts.
    strata : ndarray of int of shape (n_samples,) or None
        Where the suite says ``stratify: COLUMN``: what is to keep its proportions in place of the classes.
    columns : mapping of str to ndarray or `Categories`
        The data's further columns.
    """

    X: Any
    y: np.ndarray
    repetition: int
    random_state: int
    classify: bool
    stratify: bool = True
    train: float | int | None = 0.5
    validation: float | int | None = None
    test: float | int | None = None
    feature_names: Sequence[str] = ()
    groups: np.ndarray | None = None
    strata: np.ndarray | None = None
    columns: Mapping[str, np.ndarray | Categories] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SplitMethod(Declaration):
    """A way of dividing rows: ``split: {method: NAME, params: {...}}``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Takes the suite's ``params`` as keyword arguments and returns a callable, which takes a `SplitContext` and
        returns three arrays of row numbers: train, validation (may be empty) and test. No row may be in two of them.
    inputs : sequence of str, default=()
        As for `Algorithm`.
    """

    _code = ("make",)

    make: Any
    inputs: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PreprocessingStep(Declaration):
    """A step of ``preprocess``: ``NAME``, or ``{NAME: argument}``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Takes the suite's argument, or nothing; returns an unfitted transformer of scikit-learn's conventions, which is
        fitted on the training part. It keeps the columns, whose names, groups and values stay what they are, and lets
        NaN pass.
    accepts_sparse : bool, default=False
        Whether it takes CSR matrices. Trials on sparse data become ``skipped`` where it does not.
    inputs : sequence of str, default=()
        As for `Algorithm`.
    """

    _code = ("make",)

    make: Any
    accepts_sparse: bool = False
    inputs: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FeatureValues(Declaration):
    """A rule for what each feature costs the adversary: ``feature_values: NAME``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    compute : str or callable
        Takes X and y of the preprocessed training part and their `Features`; returns numbers v >= 0, one for each
        feature or one for each column. Adversaries of phase ``train`` act before there are any: for them each feature
        has the value 1.
    inputs : sequence of str, default=()
        As for `Algorithm`.
    """

    _code = ("compute",)

    compute: Any
    inputs: Sequence[str] = ()
