"""Algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchkit.plugin.declarations.budget_unit import Counted
from benchkit.plugin.declarations.deferred import Deferred, defer
from benchkit.plugin.declarations.environment import Environment
from benchkit.plugin.declarations.errors import DeclarationError
from benchkit.plugin.declarations.words import Task, check_name


@dataclass(frozen=True)
class ModelCheck:
    """Something that a fitted estimator states, recomputed.

    Attributes
    ----------
    what : str
        A few words, such as ``objective``.
    stated, recomputed : float
    holds : bool
        Whether they agree as far as they must.
    """

    what: str
    stated: float
    recomputed: float
    holds: bool


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A scikit-learn estimator and what a suite needs to know of it.

    Parameters
    ----------
    name : str
        Lower-case words joined by hyphens; unique among algorithms.
    make : str or callable
        ``"module:Class"`` or a callable; called with constructor parameters, returns an unfitted estimator.
    summary : str
        One line for ``benchkit list``.
    tasks : sequence of {"classification", "regression"}, default=("classification",)
    defaults : mapping, default={}
        Constructor parameters that differ from the class's own defaults; a suite's ``params`` override them.
    grid : mapping of name to values, or callable, or None, default=None
        The default tuning grid. A callable (or its ``"module:function"`` string) takes ``n_features`` (int),
        ``total_value`` (float, V = sum v) and ``budget`` (float, N) and returns such a mapping, for grids that depend
        on the data's size.
    budget_param : str or None, default=None
        Constructor parameter that receives the adversary's budget (an amount) unless the suite gives its own.
    budget_unit : {"value", "features", "fraction", "sd"} or None, default=None
        What that parameter counts, feature values where None; ``benchkit check`` tries budgets of this unit.
    at_all_features : str or None, default=None
        Name of the declared algorithm that is fitted in its stead, without tuning, where ``budget_param`` takes the
        value of all features and this method has no answer of its own.
    values_param : str or None, default=None
        Constructor parameter that receives the feature values, an array of shape (n_features,), one for each column.
    groups_param : str or None, default=None
        Constructor parameter that receives the dataset's groups of columns, each of which is one feature; not given
        where there are none.
    algorithm_param : str or None, default=None
        Constructor parameter that may be the name of another declared algorithm, which this one fits within itself: the
        code and the packages of that one are part of the identity of trials that give it.
    accepts_sparse, accepts_missing : bool, default=False
        Whether ``fit`` takes CSR matrices, and NaN.
    streaming : bool, default=False
        Whether its subject is features that arrive one after another: published results are found by it. No part of the
        identity of trials.
    fit_path : str or callable or None, default=None
        Fits the candidates of a tuning grid together where that is cheaper than one by one: takes a list of unfitted
        estimators, X and y, returns them fitted, in the same order, as accurately as choosing among them needs. The
        chosen one is fitted again by ``fit``.
    verify : str or callable or None, default=None
        Rechecks what a fitted estimator states, such as its objective, without its solver: takes the estimator and the
        X and y it was fitted on, returns a list of `ModelCheck`.
    warm_up : str or callable or None, default=None
        Called once in each process before the first fit that is timed, to compile what is compiled on first use.
    reference, formula : str, default=""
        For ``benchkit show``.
    environment : Environment or None, default=None
        The packages that it needs, in an interpreter of their own; its trials run there, in worker processes under the
        same limits as all others. ``make`` is then a string, and the plugin's module imports nothing of them.
    inputs : sequence of str, default=()
        What else decides the outcome: paths of files that the code reads, and ``$NAME`` for environment variables.
        Their content enters the identity of trials.
    """

    name: str
    make: Any
    summary: str = ""
    tasks: Sequence[Task] = ("classification",)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    grid: Any = None
    budget_param: str | None = None
    budget_unit: Counted | None = None
    at_all_features: str | None = None
    values_param: str | None = None
    groups_param: str | None = None
    algorithm_param: str | None = None
    accepts_sparse: bool = False
    accepts_missing: bool = False
    streaming: bool = False
    fit_path: Any = None
    verify: Any = None
    warm_up: Any = None
    inputs: Sequence[str] = ()
    reference: str = ""
    formula: str = ""
    environment: Environment | None = None

    def __post_init__(self) -> None:
        check_name(self)
        if self.environment is not None and not isinstance(self.environment, Environment):
            raise DeclarationError(f"{self.name!r}: environment is {self.environment!r}, expected an Environment")
        defer(self, "fit_path", "verify", "warm_up")
        if isinstance(self.tasks, str) or not set(self.tasks) <= {"classification", "regression"} or not self.tasks:
            raise DeclarationError(f"{self.name!r}: tasks is {self.tasks!r}, expected ('classification',) or the like")
        object.__setattr__(self, "make", Deferred(self.make, self.defaults, elsewhere=self.environment is not None))
        if self.grid is not None and not isinstance(self.grid, Mapping):
            defer(self, "grid")

    def default_grid(self, n_features: int, total_value: float, budget: float) -> Mapping[str, Sequence[Any]]:
        """The default tuning grid for data of this size: mapping of parameter name to the values tried."""
        if self.grid is None:
            return {}
        if isinstance(self.grid, Mapping):
            return self.grid
        grid: Mapping[str, Sequence[Any]] = self.grid(n_features=n_features, total_value=total_value, budget=budget)
        return grid
