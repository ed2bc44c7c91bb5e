"""Declaring an adversary, and what its budget counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from benchkit.plugin.declarations.dataset import Data, Features
from benchkit.plugin.declarations.declaration import TASKS, Declaration, NotApplicableError, Task

if TYPE_CHECKING:
    import numpy as np


UnitName = Literal["value", "features", "fraction", "sd", "none"]


@dataclass(frozen=True, eq=False)
class BudgetUnit:
    """What the budgets of an adversary count."""

    name: UnitName
    title: str  # of a figure's axis, where the adversary has none of its own
    most: float | None = math.inf  # that a budget can be; None where that depends on the data
    amounts: Sequence[float] = (0.0,)  # budgets to begin with where there is no limit to take shares of

    @property
    def takes_shares(self) -> bool:
        """Whether there is a limit that a budget can be a share of."""
        return self.most != math.inf

    def limit(self, total_value: float | None, n_features: float) -> tuple[float, str]:
        """The most that a budget can be, and what that is; ``total_value`` is None where each feature is 1."""
        if self.name == "value" and total_value is not None:
            return total_value, "the total value of the features"
        return (n_features, "the number of features") if self.most is None else (self.most, "the most possible")

    def axis_title(self, own: str, shares: bool, uniform: bool) -> str:
        """The title of a figure's axis, from the adversary's own; ``uniform`` where each feature has the value 1."""
        title = own or self.title
        if self.most is None and shares:
            return f"share of {title}"
        return f"{title} (total cost)" if self.name == "value" and not uniform else title

    def check(self, budget: float | str) -> str | None:
        """What is wrong with a budget, an amount or a share, whatever the data, as the end of a sentence about it."""
        if isinstance(budget, str):
            endless = self.name != "none" and not self.takes_shares
            return f"is a share, and {self.title} have no most: give a number" if endless else None
        if self.name == "features" and budget != int(budget):
            return "counts features: give whole numbers"
        return f"is a {self.name}: at most {self.most:g}" if self.most is not None and budget > self.most else None

    def exceeds(self, budget: float, total_value: float | None, n_features: float, rounding: float) -> str | None:
        """That an amount is more than the data has to spend, but for rounding."""
        most, what = self.limit(total_value, n_features)
        return f"budget {budget:g} exceeds {most:g}, {what}" if budget > most * (1 + rounding) else None

    def amount(self, share: float, total_value: float | None, n_features: float) -> float:
        """What a share of the most possible comes to."""
        amount = share * self.limit(total_value, n_features)[0]
        return float(round(amount)) if self.name == "features" else amount


UNITS: dict[str, BudgetUnit] = {
    "value": BudgetUnit("value", "features changed", most=None),
    "features": BudgetUnit("features", "features changed", most=None),
    "fraction": BudgetUnit("fraction", "fraction changed", most=1.0),
    "sd": BudgetUnit("sd", "standard deviations", amounts=(0.0, 0.25, 0.5, 1.0)),
    "none": BudgetUnit("none", "budget"),
}
"""The units that declarations can name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackContext:
    """What an adversary is given; what may be None is so in the phase ``train``.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows to attack, preprocessed in the phase ``test``, as loaded in the phase ``train``. Read-only: copy it.
    y : ndarray of shape (n_samples,)
        True labels (of two classes -1 and 1, of more those of the data) or targets.
    budget : float
        How much the adversary may do, in the unit it declares.
    feature_values : ndarray of shape (n_features,)
        What each column costs the adversary, v >= 0; a group costs the sum of its columns' values, and goes whole.
    rng : numpy.random.Generator
        The adversary's own stream, the same for every algorithm and budget of a repetition, so that a larger budget
        can extend what a smaller one did.
    model : object or None
        The fitted estimator.
    raw : ndarray, CSR matrix or None
        X before preprocessing: "non-zero features" refers to it.
    feature_names : sequence of str
        One for each column of X, or none.
    groups : sequence of sequences of int, default=()
        The dataset's: numbers of columns of X that live and die together.
    group_names : sequence of str, default=()
        One for each group.
    means, deviations : ndarray of shape (n_features,) or None
        Of the columns of the preprocessed training part, without its gaps.
    takes_missing : bool, default=True
        Whether the model takes NaN.
    imputed : ndarray of shape (n_features,) or None
        What the suite's imputer puts in place of NaN, where it has one.
    preprocess : callable or None
        The suite's fitted preprocessing, see `seen`.
    train_X, train_y : ndarray or CSR matrix of shape (n_train, n_features), ndarray of shape (n_train,), or None
        The preprocessed training part and its labels or targets. Not to be modified.
    data : Data or None
        All rows of the data set as they were loaded, with its further columns. Not to be modified.
    rows : ndarray of int of shape (n_samples,) or None
        Which rows of ``data`` those of X are.
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
    group_names: Sequence[str] = ()
    means: np.ndarray | None = None
    takes_missing: bool = True
    imputed: np.ndarray | None = None
    deviations: np.ndarray | None = None
    preprocess: Callable[[Any], Any] | None = None
    train_X: Any = None  # noqa: N815
    train_y: np.ndarray | None = None
    data: Data | None = None
    rows: np.ndarray | None = None

    def seen(self, raw: Any) -> Any:
        """What the model sees of rows, (n, n_features), that were changed before preprocessing, as ``raw`` is."""
        return raw if self.preprocess is None else self.preprocess(raw)

    @property
    def features(self) -> Features:
        """Which columns of X are one feature, as `Features`; made anew each time it is asked for."""
        return Features(self.X.shape[1], self.groups)

    def left_by(self, fill: Literal["zero", "nan", "mean"]) -> np.ndarray:
        """What deletion leaves in each column, (n_features,), as the model sees it: fill is "zero", "nan" or "mean".

        Parameters
        ----------
        fill : {"zero", "nan", "mean"}
            ``nan`` leaves NaN for a model that takes it, and what the suite's imputer puts there for one that does not.

        Raises
        ------
        NotApplicableError
            The model takes no NaN and the suite has no imputer; or the data is sparse, which only zeros leave so.
        ValueError
            The word is none of these.
        """
        import numpy as np

        if fill == "zero":
            return np.zeros(self.X.shape[1])
        if fill not in ("nan", "mean"):
            raise ValueError(f"fill is {fill!r}, expected 'zero', 'nan' or 'mean'")
        if not isinstance(self.X, np.ndarray):
            raise NotApplicableError(f"fill: {fill} needs dense data: sparse data is left sparse by fill: zero alone")
        if fill == "nan" and self.takes_missing:
            return np.full(self.X.shape[1], np.nan)
        left = self.means if fill == "mean" else self.imputed
        if left is None:
            remedy = "add {impute-where-needed: mean} to 'preprocess', or say fill: zero"
            why = f"{type(self.model).__name__} takes no gaps" if fill == "nan" else "no means are known"
            raise NotApplicableError(f"fill: {fill}: {why}: {remedy}")
        return left


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackResult:
    """What an adversary made of the data: what `corrupt` returns.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows as the attack leaves them: as many, in the same order, of the same type as those that were given.
    y : ndarray of shape (n_samples,)
        Their labels or targets: ``attack.y``; in the phase ``train`` they may be others.
    truth : mapping, default={}
        What it did that metrics may ask for, for example ``clean_rows``, a boolean mask of shape (n_samples,).
    """

    X: Any
    y: np.ndarray
    truth: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Adversary(Declaration):
    """Something that deletes or corrupts data within a budget.

    Parameters
    ----------
    make : str or callable
        Called with the suite's ``params``; returns an object with ``corrupt(attack: AttackContext) -> AttackResult``.
    phase : {"test", "train"}, default="test"
        ``test``: corrupts what the fitted model is asked to predict; ``train``: corrupts the training part.
    requires : {"linear", "decision_function", None}, default=None
        What it needs of a fitted model: ``coef_`` and ``intercept_`` of a binary linear classifier, a decision
        function, or nothing. Other models' trials become ``skipped``.
    budget_unit : {"value", "features", "fraction", "sd", "none"}, default="value"
        What a budget counts: feature values (0 <= N <= V), numbers of features (whole, at most n_features), a fraction
        of rows or entries (0 to 1), how far entries move in standard deviations of the training part (the root mean
        square of each column, which no norm of a row's moves falls below), or nothing.
    budget_title : str, default=""
        What a figure's axis of budgets is called, such as ``features deleted``; words of the unit where empty.
    situation : str, default=""
        What happens, as the sentence of an answer begins, such as ``If features go at random``; ``Under`` and its name
        where empty. No part of the identity of trials, like ``probe``.
    tasks : sequence of {"classification", "regression"}, default=("classification", "regression")
        What the data that it attacks predicts. Trials on other data become ``skipped``.
    features_param : str or None, default=None
        Parameter that lists features of the data: names of columns or groups, or numbers of columns. ``plan`` tells
        which of them the data does not have.
    probe : str or callable or None, default=None
        What the fault makes of one column of a table: what audits of a model try. Takes ``column`` (with ``values``, a
        Series, and ``kind``: number, category or other), ``rows`` and ``other`` (ndarrays of int: the rows that are
        asked about, and as many in another order), and ``one`` (int, a row); returns a mapping of names to new values,
        one or one for each row.
    stronger_than : sequence of str, default=()
        Names of adversaries that, within the same budget, can never do more damage to the same model. Reports flag a
        run in which one does. A budget of values and one of features are the same where every value is 1.
    example : mapping, default={}
        Parameters with which ``benchkit check`` makes it, where some have no default.
    """

    _code = ("make", "probe")
    _choices: ClassVar = {
        "phase": ("test", "train"),
        "requires": ("linear", "decision_function", None),
        "budget_unit": tuple(UNITS),
    }

    make: Any
    phase: Literal["test", "train"] = "test"
    requires: Literal["linear", "decision_function"] | None = None
    budget_unit: UnitName = "value"
    stronger_than: Sequence[str] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    budget_title: str = ""
    tasks: Sequence[Task] = TASKS
    features_param: str | None = None
    situation: str = ""
    probe: Any = None
