"""What a plugin declares: algorithms, adversaries, datasets, metrics and more, and the values they exchange.

Everything here is light: a declaration names code by a ``"module:attribute"`` string, which is imported only when the
object is made, so that listing hundreds of methods costs no import of scikit-learn.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np

Task = Literal["classification", "regression"]

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class DeclarationError(Exception):
    """A plugin declared something that cannot be used."""


class DataUnavailableError(Exception):
    """A dataset's file is not on this machine; the message says which file to put where. Trials become ``skipped``."""


class NotApplicableError(Exception):
    """A combination of algorithm, adversary and dataset that has no meaning. Trials become ``skipped``."""


class Deferred:
    """A callable that is named now and imported when it is first called.

    Parameters
    ----------
    target : str or callable
        ``"package.module:attribute"``, or the callable itself.
    defaults : mapping, default={}
        Keyword arguments that every call receives unless it gives its own.
    """

    def __init__(self, target: str | Callable[..., Any], defaults: Mapping[str, Any] | None = None) -> None:
        if isinstance(target, str):
            if not re.fullmatch(r"[\w.]+:[\w.]+", target):
                raise DeclarationError(f"{target!r} is not of the form 'package.module:attribute'")
        elif not callable(target):
            raise DeclarationError(f"{target!r} is neither a callable nor a 'package.module:attribute' string")
        self.target = target
        self.defaults = dict(defaults or {})

    @property
    def module(self) -> str:
        """Name of the module that defines the target."""
        return self.target.partition(":")[0] if isinstance(self.target, str) else self.target.__module__

    def resolve(self) -> Callable[..., Any]:
        """Import and return the target."""
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]

    def parameters(self) -> dict[str, inspect.Parameter]:
        """Parameters that may be given by name; importing the target."""
        return dict(inspect.signature(self.resolve()).parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Import the target and call it."""
        return self.resolve()(*args, **{**self.defaults, **kwargs})

    def __repr__(self) -> str:
        return f"Deferred({self.target!r})"


def _defer(declaration: Any, *attributes: str) -> None:
    for attribute in attributes:
        target = getattr(declaration, attribute)
        if target is not None and not isinstance(target, Deferred):
            object.__setattr__(declaration, attribute, Deferred(target))


def _check_name(declaration: Any) -> None:
    if not isinstance(declaration.name, str) or not NAME.fullmatch(declaration.name):
        kind = type(declaration).__name__.lower()
        raise DeclarationError(f"{kind} name {declaration.name!r} is not lower-case words joined by hyphens")


def _check_choice(declaration: Any, attribute: str, choices: Iterable[str | None]) -> None:
    value = getattr(declaration, attribute)
    if value not in choices:
        allowed = ", ".join(repr(choice) for choice in choices)
        raise DeclarationError(f"{declaration.name!r}: {attribute} is {value!r}, expected one of {allowed}")


@dataclass(frozen=True)
class Check:
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
    budget_unit : {"value", "features", "fraction"} or None, default=None
        What that parameter counts, feature values where None; ``benchkit check`` tries budgets of this unit.
    values_param : str or None, default=None
        Constructor parameter that receives the feature values, an array of shape (n_features,).
    accepts_sparse, accepts_missing : bool, default=False
        Whether ``fit`` takes CSR matrices, and NaN.
    fit_path : str or callable or None, default=None
        Fits the candidates of a tuning grid together where that is cheaper than one by one: takes a list of unfitted
        estimators, X and y, returns them fitted, in the same order, as accurately as choosing among them needs. The
        chosen one is fitted again by ``fit``.
    verify : str or callable or None, default=None
        Rechecks what a fitted estimator states, such as its objective, without its solver: takes the estimator and the
        X and y it was fitted on, returns a list of `Check`.
    warm_up : str or callable or None, default=None
        Called once in each process before the first fit that is timed, to compile what is compiled on first use.
    reference, formula : str, default=""
        For ``benchkit show``.
    """

    name: str
    make: Any
    summary: str = ""
    tasks: Sequence[Task] = ("classification",)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    grid: Any = None
    budget_param: str | None = None
    budget_unit: Literal["value", "features", "fraction"] | None = None
    values_param: str | None = None
    accepts_sparse: bool = False
    accepts_missing: bool = False
    fit_path: Any = None
    verify: Any = None
    warm_up: Any = None
    reference: str = ""
    formula: str = ""

    def __post_init__(self) -> None:
        _check_name(self)
        _defer(self, "fit_path", "verify", "warm_up")
        if isinstance(self.tasks, str) or not set(self.tasks) <= {"classification", "regression"} or not self.tasks:
            raise DeclarationError(f"{self.name!r}: tasks is {self.tasks!r}, expected ('classification',) or the like")
        object.__setattr__(self, "make", Deferred(self.make, self.defaults))
        if self.grid is not None and not isinstance(self.grid, Mapping):
            _defer(self, "grid")

    def default_grid(self, n_features: int, total_value: float, budget: float) -> Mapping[str, Sequence[Any]]:
        """The default tuning grid for data of this size: mapping of parameter name to the values tried."""
        if self.grid is None:
            return {}
        if isinstance(self.grid, Mapping):
            return self.grid
        grid: Mapping[str, Sequence[Any]] = self.grid(n_features=n_features, total_value=total_value, budget=budget)
        return grid


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
        _check_name(self)
        _defer(self, "make")
        _check_choice(self, "phase", ("test", "train"))
        _check_choice(self, "requires", ("linear", "decision_function", None))
        _check_choice(self, "budget_unit", ("value", "features", "fraction", "none"))


@dataclass(frozen=True, kw_only=True)
class Data:
    """A loaded dataset.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Labels -1 and +1 for binary problems, the classes otherwise, or targets.
    feature_names : sequence of str, default=()
    feature_values : ndarray of shape (n_features,) or None
        Values that belong to the dataset, used by suites that say ``feature_values: given``.
    groups : sequence of sequences of int, default=()
        Columns that live and die together, such as a one-hot block.
    truth : mapping, default={}
        For generated data: coefficients, clean targets and the like.
    """

    X: Any
    y: np.ndarray
    feature_names: Sequence[str] = ()
    feature_values: np.ndarray | None = None
    groups: Sequence[Sequence[int]] = ()
    truth: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file that a dataset is read from.

    Parameters
    ----------
    name : str
        Its path below a data folder, such as ``spambase/spambase.data``.
    urls : sequence of str, default=()
        Where it can be downloaded, in the order in which to try. Empty: only a person can get it.
    member : str, default=""
        Its path within what the URLs serve, where that is a zip or tar archive.
    compress : bool, default=False
        Whether what is downloaded is to be compressed by gzip (for a ``name`` in ``.gz`` whose source is plain).
    obtain : str, default=""
        What a person does where no URL serves.
    """

    name: str
    urls: Sequence[str] = ()
    member: str = ""
    compress: bool = False
    obtain: str = ""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Where data comes from.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    load : str or callable
        Called with the suite's parameters; returns `Data`. A generated dataset also takes ``random_state``, an int that
        differs by repetition.
    task : {"classification", "regression"}, default="classification"
    generated : bool, default=False
        Drawn anew for every repetition.
    expand : str or callable or None
        Takes the suite's parameters as keywords, returns a list of parameter mappings, one per cell: ``pairs: all``
        becomes 45 of them.
    files : sequence of DataFile, default=()
        Files that it is read from with `benchkit.require_file`. Their content enters the identity of trials.
    paths : str or callable or None
        Takes the suite's parameters, returns the paths of further files whose content decides what is loaded, for
        datasets that read a user's own file.
    example : mapping or None, default={}
        Parameters with which ``benchkit check`` loads it; None where only a user can give them.
    digest : str, default=""
        `benchkit.digest_data` of what ``load()`` returns without parameters: what the right files parse to.
    shape, classes, licence, source : str, default=""
        For ``benchkit list`` and ``benchkit show``.
    """

    name: str
    load: Any
    summary: str = ""
    task: Task = "classification"
    generated: bool = False
    expand: Any = None
    files: Sequence[DataFile] = ()
    paths: Any = None
    example: Mapping[str, Any] | None = field(default_factory=dict)
    digest: str = ""
    shape: str = ""
    classes: str = ""
    licence: str = ""
    source: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        _check_name(self)
        _defer(self, "load", "expand", "paths")
        _check_choice(self, "task", ("classification", "regression"))


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a metric is given.

    Attributes
    ----------
    model : object
        The fitted estimator.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The test part as the model saw it, after preprocessing and corruption.
    y : ndarray of shape (n_samples,)
        True labels or targets.
    predictions : ndarray of shape (n_samples,)
    truth : mapping
        The dataset's truth joined with the adversary's.
    uncorrupted : ndarray or CSR matrix of shape (n_samples, n_features) or None
        The test part before the adversary, preprocessed.
    X_train : ndarray or CSR matrix of shape (n_train, n_features) or None
    y_train : ndarray of shape (n_train,) or None
        The training part as the model saw it: after an adversary of phase ``train``, preprocessed.
    budget : float
        The adversary's, as an amount; 0 without one.
    feature_values : ndarray of shape (n_features,) or None
    seconds : mapping
        Wall seconds of ``load``, ``fit``, ``tune`` and ``corrupt`` (the test part); empty while candidates are judged.
    """

    model: Any
    X: Any
    y: np.ndarray
    predictions: np.ndarray
    truth: Mapping[str, Any]
    uncorrupted: Any = None
    X_train: Any = None
    y_train: np.ndarray | None = None
    budget: float = 0.0
    feature_values: np.ndarray | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number from a fitted model, its predictions and the truth.

    Parameters
    ----------
    name, summary, reference, formula : str
        As for `Algorithm`.
    compute : str or callable
        Takes an `Evaluation`, returns a float.
    greater_is_better : bool, default=False
    worsens_with_attack : bool, default=False
        Whether an attack that can do no less than another can never leave this metric better: such metrics are audited.
    tasks : sequence of {"classification", "regression"}, default=("classification",)
    """

    name: str
    compute: Any
    summary: str = ""
    greater_is_better: bool = False
    worsens_with_attack: bool = False
    tasks: Sequence[Task] = ("classification",)
    reference: str = ""
    formula: str = ""

    def __post_init__(self) -> None:
        _check_name(self)
        _defer(self, "compute")


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """What a report section says: a table, and a sentence under it.

    Attributes
    ----------
    columns : sequence of str
    rows : sequence of sequence of str, int, float or None
        One entry per column; None stands for what is not known.
    note : str, default=""
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise DeclarationError(f"a row of {len(row)} entries in a table of {len(self.columns)} columns")


@dataclass(frozen=True, kw_only=True)
class ReportSection:
    """A section of every report, after the tables of means.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Takes `Results`, returns a `ReportTable`, or None where it has nothing to say of this run.
    title : str, default=""
        Its heading; the name where empty.
    """

    name: str
    make: Any
    summary: str = ""
    title: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        _check_name(self)
        _defer(self, "make")


@dataclass(frozen=True, kw_only=True)
class Executor:
    """Where trials run: ``benchkit run --executor NAME``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Called with those of these that it takes: ``jobs`` (int, how many functions may run at once; None for as many as
        there is room for), ``log`` (Path, a file for what workers print), ``memory`` (float or None, the MB that a
        function may hold), ``scheduler`` (str or None, where a cluster listens). Returns a context manager with
        ``capacity`` (int) and ``submit(function, *args, timeout) -> concurrent.futures.Future``, where ``timeout`` is
        None or the seconds that the function may take from its start. Functions, arguments and results can be pickled.
    stops : bool, default=True
        Whether it can end a function that takes too long; if not, ``--timeout`` is refused.
    """

    name: str
    make: Any
    summary: str = ""
    stops: bool = True
    reference: str = ""

    def __post_init__(self) -> None:
        _check_name(self)
        _defer(self, "make")

    def takes(self, option: str) -> bool:
        """Whether ``make`` takes this option."""
        return option in self.make.parameters()

    def build(self, **options: Any) -> Any:
        """The executor, given those of the options that it takes."""
        return self.make(**{name: value for name, value in options.items() if self.takes(name)})


Declaration = Algorithm | Adversary | Dataset | Metric | ReportSection | Executor
