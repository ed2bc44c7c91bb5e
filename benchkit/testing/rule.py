"""What a rule is, and how it is declared."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from benchkit.errors import one_line


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


RULES: dict[str, list[Rule]] = {}
"""By kind of declaration, and ``plugins`` for each as a whole, in the order in which they are tried."""

Check = TypeVar("Check", bound=Callable[[Any], None])


def rule(*kinds: str) -> Callable[[Check], Check]:
    """Make a rule for these kinds of a function: its name, and the first line of its docstring."""

    def declare(function: Check) -> Check:
        summary = (function.__doc__ or "").strip().splitlines()[0]
        for kind in kinds:
            RULES.setdefault(kind, []).append(Rule(function.__name__.replace("_", "-"), summary, function))
        return function

    return declare


def require(condition: Any, message: str) -> None:
    """Raise `BrokenRuleError` unless the condition holds."""
    if not condition:
        raise BrokenRuleError(message)


@contextmanager
def quietly(failing: str = "") -> Iterator[None]:
    """One BLAS thread, as in a worker, and no warnings of convergence on tiny data; writing to what is given is broken.

    Whatever else is raised breaks the rule where ``failing`` says what that means.
    """
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except (BrokenRuleError, NotAskedError):
            raise
        except Exception as error:
            if isinstance(error, ValueError) and "read-only" in str(error):
                raise BrokenRuleError(f"changes what it is given in place ({error}): work on a copy") from None
            if failing:
                raise BrokenRuleError(f"{failing}: {one_line(error)}") from None
            raise
