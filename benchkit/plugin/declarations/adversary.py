"""Adversaries, what they are given and what they return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.words import check_choice, check_name

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class Attack:
    """What an adversary is given.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Preprocessed in the phase ``test``; as loaded in the phase ``train``. Not to be modified.
    y : ndarray of shape (n_samples,)
        True labels or targets.
    budget : float
        How much the adversary may do, in the unit it declares.
    feature_values : ndarray of shape (n_features,)
        What each feature costs the adversary, v >= 0.
    rng : numpy.random.Generator
        The adversary's own stream, the same for every algorithm and budget of a repetition, so that a larger budget
        can extend what a smaller one did.
    model : object or None
        The fitted estimator (phase ``test``).
    raw : ndarray, CSR matrix or None
        X before preprocessing (phase ``test``): "non-zero features" refers to it.
    feature_names : sequence of str
    groups : sequence of sequences of int, default=()
        The dataset's: columns that live and die together.
    """

    X: Any
    y: np.ndarray
    budget: float
    feature_values: np.ndarray
    rng: np.random.Generator
    model: Any = None
    raw: Any = None
    feature_names: Sequence[str] = ()
    groups: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, kw_only=True)
class Corruption:
    """What an adversary made of the data.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    truth : mapping, default={}
        What it did that metrics may ask for, for example ``clean_rows``, a boolean mask of shape (n_samples,).
    """

    X: Any
    y: np.ndarray
    truth: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Adversary:
    """Something that deletes or corrupts data within a budget.

    Parameters
    ----------
    name, summary, reference, formula : str
        As for `Algorithm`.
    make : str or callable
        Called with the suite's ``params``; returns an object with ``corrupt(attack: Attack) -> Corruption``.
    phase : {"test", "train"}, default="test"
        ``test``: corrupts what the fitted model is asked to predict; ``train``: corrupts the training part.
    requires : {"linear", "decision_function", None}, default=None
        What it needs of a fitted model: ``coef_`` and ``intercept_`` of a binary linear classifier, a decision
        function, or nothing. Other models' trials become ``skipped``.
    budget_unit : {"value", "features", "fraction", "none"}, default="value"
        What a budget counts: feature values (0 <= N <= V), numbers of features (whole, at most n_features), a fraction
        of rows or entries (0 to 1), or nothing.
    stronger_than : sequence of str, default=()
        Names of adversaries that, within the same budget, can never do more damage to the same model. Reports flag a
        run in which one does. A budget of values and one of features are the same where every value is 1.
    example : mapping, default={}
        Parameters with which ``benchkit check`` makes it, where some have no default.
    """

    name: str
    make: Any
    summary: str = ""
    phase: Literal["test", "train"] = "test"
    requires: Literal["linear", "decision_function"] | None = None
    budget_unit: Literal["value", "features", "fraction", "none"] = "value"
    stronger_than: Sequence[str] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    reference: str = ""
    formula: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "make")
        check_choice(self, "phase", ("test", "train"))
        check_choice(self, "requires", ("linear", "decision_function", None))
        check_choice(self, "budget_unit", ("value", "features", "fraction", "none"))
