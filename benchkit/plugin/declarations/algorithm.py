"""Declaring an algorithm, the environment that it needs, and how parameters are tuned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchkit.plugin.declarations.declaration import TASKS, Declaration, DeclarationError, Deferred, Task


@dataclass(frozen=True, kw_only=True)
class Environment:
    """An interpreter with packages of its own, in which an algorithm's trials run.

    ``benchkit env build`` makes it, with uv; nothing is downloaded while a suite runs. Where it was not built, trials
    run in the interpreter that runs benchkit if that has what they ask for; else they are skipped. Algorithms that
    declare the same environment share it.

    Parameters
    ----------
    requirements : sequence of str
        What ``pip`` would be given, such as ``["lightgbm>=4.5"]``. The running benchkit and what its workers need are
        added, in the versions that are installed beside it as far as these requirements allow.
    python : str or None, default=None
        Versions of Python, such as ``">=3.12"``; None: the one that runs benchkit.
    inherit : bool, default=False
        Whether packages of the interpreter that runs benchkit are seen too, after those of this environment: what is
        installed there in the wanted version is not installed again. Needs the same Python.
    """

    requirements: Sequence[str]
    python: str | None = None
    inherit: bool = False

    def __post_init__(self) -> None:
        texts = [] if isinstance(self.requirements, str) else [str(text).strip() for text in self.requirements]
        if not texts or any(not text or text.startswith("-") for text in texts):
            raise DeclarationError(f"requirements is {self.requirements!r}, expected a list such as ['lightgbm>=4.5']")
        if self.inherit and self.python is not None:
            raise DeclarationError("an environment that inherits packages has their Python: leave out python")
        object.__setattr__(self, "requirements", tuple(sorted(self.requirements)))

    def __str__(self) -> str:
        return ", ".join([*self.requirements, *([f"Python {self.python}"] if self.python else [])])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Algorithm(Declaration):
    """A scikit-learn estimator and what a suite needs to know of it.

    Parameters
    ----------
    make : str or callable
        ``"module:Class"`` or a callable; called with constructor parameters, returns an unfitted estimator.
    tasks : sequence of {"classification", "regression"}, default=("classification",)
    defaults : mapping, default={}
        Constructor parameters that differ from the class's own defaults; a suite's ``params`` override them.
    grid : mapping of name to values, or callable, or None, default=None
        The default tuning grid. A callable (or its ``"module:function"`` string) takes ``n_features`` (int),
        ``total_value`` (float, V = sum v) and ``budget`` (float, N) and returns such a mapping.
    budget_param : str or None, default=None
        Constructor parameter that receives the adversary's budget (an amount) unless the suite gives its own.
    at_all_features : str or None, default=None
        Name of the declared algorithm that is fitted in its stead, without tuning, where ``budget_param`` takes the
        value of all features.
    values_param : str or None, default=None
        Constructor parameter that receives the feature values, an array of shape (n_features,), one for each column.
    groups_param : str or None, default=None
        Constructor parameter that receives the dataset's groups of columns, where there are any.
    algorithm_param : str or None, default=None
        Constructor parameter that may be the name of another declared algorithm, which this one fits within itself, and
        whose code is then part of the identity of trials.
    accepts_sparse, accepts_missing : bool, default=False
        Whether ``fit`` takes CSR matrices, and NaN.
    trivial : str, default=""
        Of a method that looks at no feature, what it does in words, such as ``always answering the largest class``:
        reports say where others are no better than that. No part of the identity of trials.
    hardened : mapping of name to value, or callable, or None, default=None
        Of a method that is trained for features lost at test time, and are 0 then, the constructor parameters that make
        it so, beside ``budget_param`` and ``groups_param``; or a callable that takes ``n_lost`` and ``n_features``
        (int) and returns them. Audits try the methods that have it. No part of the identity of trials.
    fit_path : str or callable or None, default=None
        Fits the candidates of a tuning grid together: takes a list of unfitted estimators, X and y, returns them
        fitted, in the same order, as accurately as choosing among them needs. The chosen one is fitted again.
    verify : str or callable or None, default=None
        Rechecks what a fitted estimator states, such as its objective: takes the estimator and the X and y it was
        fitted on, returns a list of `ModelCheck`.
    warm_up : str or callable or None, default=None
        Called once in each process before the first fit that is timed, to compile what is compiled on first use.
    environment : Environment or None, default=None
        The packages that it needs, in an interpreter of their own, where its trials run. ``make`` is then a string, and
        the plugin's module imports nothing of them.
    """

    _code = ("fit_path", "verify", "warm_up", "grid", "hardened")

    make: Any
    tasks: Sequence[Task] = ("classification",)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    grid: Any = None
    budget_param: str | None = None
    at_all_features: str | None = None
    values_param: str | None = None
    groups_param: str | None = None
    algorithm_param: str | None = None
    accepts_sparse: bool = False
    accepts_missing: bool = False
    trivial: str = ""
    hardened: Any = None
    fit_path: Any = None
    verify: Any = None
    warm_up: Any = None
    environment: Environment | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.environment is not None and not isinstance(self.environment, Environment):
            raise DeclarationError(f"{self.name!r}: environment is {self.environment!r}, expected an Environment")
        if isinstance(self.tasks, str) or not self.tasks or not set(self.tasks) <= {*TASKS}:
            raise DeclarationError(f"{self.name!r}: tasks is {self.tasks!r}, expected ('classification',) or the like")
        make = Deferred(self.make, self.defaults, elsewhere=self.environment is not None)
        object.__setattr__(self, "make", make)

    def default_grid(self, n_features: int, total_value: float, budget: float) -> Mapping[str, Sequence[Any]]:
        """The default tuning grid for data of this size: mapping of parameter name to the values tried."""
        return _for_data(self.grid, n_features=n_features, total_value=total_value, budget=budget)

    def hardened_parameters(self, n_lost: int, n_features: int) -> Mapping[str, Any]:
        """Constructor parameters that train it for the loss of so many features."""
        return _for_data(self.hardened, n_lost=n_lost, n_features=n_features)


def _for_data(given: Any, **size: float) -> Mapping[str, Any]:
    """A mapping that is declared, or what a callable makes of the data's size; empty where neither is."""
    mapping: Mapping[str, Any] = given(**size) if isinstance(given, Deferred) else given or {}
    return mapping


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tuner(Declaration):
    """A way of searching for parameters: ``tune: {search: NAME}``.

    Parameters
    ----------
    make : str or callable
        Takes the suite's ``options`` as keyword arguments and returns a callable, which takes a `TuningContext`, has
        candidates judged, and returns nothing: of those that were judged on the most rows, benchkit takes the one with
        the least loss, the first of equals.
    """

    _code = ("make",)

    make: Any
