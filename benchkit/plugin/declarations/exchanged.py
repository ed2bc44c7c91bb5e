"""What plugins of some kinds are given and return, of which most runs need nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from benchkit.errors import BenchkitError, RequestError
from benchkit.plugin.declarations.dataset import Categories

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitContext:
    """What a split method is given.

    Attributes
    ----------
    X, y : ndarray or CSR matrix of shape (n_samples, n_features), ndarray of shape (n_samples,)
        As loaded. Not to be modified.
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
    groups : ndarray of int of shape (n_samples,) or None
        Where the suite says ``groups: COLUMN``: rows of one number are not to stand in two parts.
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
    columns: Mapping[str, np.ndarray | Categories] = field(default_factory=dict)


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


class RowsBeside(Protocol):
    """What a row source opens: rows that may stand beside a run's, where both answer the same question.

    A manifest's ``content`` says what trials ask: ``designs`` and ``methods`` by id, and ``places``, the ids of the
    design and the method of each trial; of both, what is asked is called ``question``. ``trials`` are ids with the
    fields of the future records. What goes wrong is a `benchkit.PublishError`.
    """

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Ids of trials, among those that are left to be run, that need not be."""

    def join(self, results: Any, answered: Mapping[str, Mapping[str, Any]]) -> Any:
        """The `benchkit.Results` with the rows that stand beside them; ``answered`` were not run for their sake."""


class TuningOverError(BenchkitError):
    """The suite's seconds of tuning are spent; a tuner lets it pass, and what was judged so far decides."""


@dataclass(frozen=True)
class Distribution:
    """A distribution of `scipy.stats` that a parameter is drawn from.

    Attributes
    ----------
    name : str
        Such as ``loguniform``.
    args : tuple of float
        In SciPy's order: ``uniform`` takes the lower end and the *width*, ``randint`` excludes its upper end.
    kwargs : mapping of str to float
        By name, where the suite gave them so.
    """

    name: str
    args: tuple[float, ...] = ()
    kwargs: Mapping[str, float] = field(default_factory=dict)

    def frozen(self) -> Any:
        """SciPy's object, which has ``rvs``, ``ppf`` and ``support``."""
        import scipy.stats

        return getattr(scipy.stats, self.name)(*self.args, **self.kwargs)


Space = Mapping[str, "Sequence[Any] | Distribution"]


@dataclass(frozen=True)
class TuningContext:
    """What a tuner is given: where it may look, and how it learns what a candidate is worth.

    Attributes
    ----------
    space : mapping of str to sequence or Distribution
        For each parameter the values that are tried, or what they are drawn from.
    grid : sequence of dict or None
        All combinations of the values, in the order in which ties are decided; None where a parameter has a
        distribution.
    candidates : int or None
        How many candidates the suite asks for; None where it leaves that to the tuner.
    n_rows : int
        Rows that a candidate is fitted on at most: of the training part, or of the smallest inner training part.
    random_state : int
        Seed for all that the tuner draws.
    judge : callable
        Takes a list of candidates (dicts of parameters) and, optionally, ``rows`` (int, default all): fits each on so
        many rows and returns a list of losses, where less is better and NaN says that there is none. Every judgement is
        recorded. Raises `TuningOverError` once the suite's seconds are spent.
    """

    space: Space
    grid: Sequence[Mapping[str, Any]] | None
    candidates: int | None
    n_rows: int
    random_state: int
    judge: Callable[..., list[float]]


class TrackingError(RequestError):
    """What tracks runs cannot be written to, or its pages not served; the message is one line for the user."""

    exit_code = 1
