"""What a rule is, and how it is tried."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from docstring_parser import parse
from docstring_parser.common import DocstringStyle
from threadpoolctl import threadpool_limits

from benchkit.plugin.declarations import Algorithm, Data, Deferred
from benchkit.testing.tiny import tiny_classification, tiny_regression


class BrokenRuleError(AssertionError):
    """A rule is broken: the message says what was found and what to do."""


class NotAskedError(Exception):
    """A rule has nothing to ask of this subject; the message says why."""


@dataclass(frozen=True)
class Rule:
    """One thing that a plugin, or something that it declares, keeps to.

    Attributes
    ----------
    name : str
        Lower-case words joined by hyphens.
    summary : str
        The rule in one line.
    check : callable
        Takes the subject; raises `BrokenRuleError`, or `NotAskedError`, or whatever the subject raises.
    """

    name: str
    summary: str
    check: Callable[[Any], None]


def rule(function: Callable[[Any], None]) -> Rule:
    """Make a rule of a function: its name, and the first line of its docstring."""
    summary = (function.__doc__ or "").strip().splitlines()[0]
    return Rule(function.__name__.replace("_", "-"), summary, function)


def require(condition: Any, message: str) -> None:
    """Raise `BrokenRuleError` unless the condition holds."""
    if not condition:
        raise BrokenRuleError(message)


SEED = 0


@contextmanager
def quietly() -> Iterator[None]:
    """One BLAS thread, as in a worker, and no warnings of convergence on tiny data."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def data_for(task: str, seed: int = 0) -> Data:
    """Tiny data of a task."""
    return tiny_classification(seed=seed) if task == "classification" else tiny_regression(seed=seed)


def make(algorithm: Algorithm, n_features: int, budget: float = 1.0, params: Mapping[str, Any] | None = None) -> Any:
    """An unfitted estimator with the budget, the feature values and the seed that a trial would give it."""
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    given: dict[str, Any] = {}
    if algorithm.budget_param is not None:
        given[algorithm.budget_param] = budget
    if algorithm.values_param is not None:
        given[algorithm.values_param] = np.ones(n_features)
    estimator = algorithm.make(**{**given, **(params or {})})
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=SEED)
    return estimator


def answers(model: Any, X: Any) -> np.ndarray:
    """The finest answer that a model gives: its decision function, else its predictions."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    return np.asarray(model.predict(X))


def largest_difference(first: np.ndarray, second: np.ndarray) -> str:
    """By how much two answers differ, for a message."""
    if first.shape != second.shape or first.dtype.kind not in "fiu":
        return f"{first.shape} against {second.shape}"
    return f"by up to {np.max(np.abs(first.astype(float) - second.astype(float))):.2g}"


def require_documented(target: Deferred) -> None:
    """Raise `BrokenRuleError` where a parameter is not in the docstring's ``Parameters`` section."""
    resolved = target.resolve()
    if resolved.__module__.partition(".")[0] == "sklearn":
        raise NotAskedError("scikit-learn documents its own")
    name = getattr(resolved, "__qualname__", repr(resolved))
    text = inspect.getdoc(resolved) if not inspect.isclass(resolved) else resolved.__doc__
    require(text, f"{name} has no docstring: say in one line what it does, then list its parameters (numpydoc)")
    skipped = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = [each.name for each in target.parameters().values() if each.kind not in skipped]
    # Attributes are listed alike; only what is a parameter counts.
    described = {
        part.strip()
        for each in parse(inspect.cleandoc(text or ""), DocstringStyle.NUMPYDOC).params
        if each.args[:1] == ["param"]
        for part in each.arg_name.split(",")
    }
    absent = [each for each in parameters if each not in described]
    listed = ", ".join(absent)
    require(not absent, f"{name} does not document {listed}: add a line 'NAME : TYPE' under 'Parameters' (numpydoc)")
