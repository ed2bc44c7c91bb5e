"""Tuners: how an algorithm's parameters are searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchkit.errors import BenchkitError
from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.words import check_name


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


@dataclass(frozen=True, kw_only=True)
class Tuner:
    """A way of searching for parameters: ``tune: {search: NAME}``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Takes the suite's ``options`` as keyword arguments and returns a callable, which takes a `TuningContext`, has
        candidates judged, and returns nothing: of those that were judged on the most rows, benchkit takes the one with
        the least loss, the first of equals.
    """

    name: str
    make: Any
    summary: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "make")
