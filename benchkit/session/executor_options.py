"""What the user tells an executor, read as the executor declares it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchkit.plugin.declarations import Executor
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.source import SuiteError


def read_options(executor: Executor, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options that were given, each in its type.

    Raises
    ------
    SuiteError
        A name is not one of the executor's options, or a value is not of its option's type.
    """
    known = executor.known_options
    values = {}
    for name, value in given.items():
        if name not in known:
            names = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            hint = Suggestion(name, known, otherwise=names)
            raise SuiteError(f"--executor {executor.name} has no option {name!r}; {hint}")
        try:
            values[name] = known[name].read(value)
        except ValueError:
            expected = known[name].expected
            raise SuiteError(f"--executor-option {name}={value}: expected {expected}") from None
    return values


def runs_elsewhere(executor: Executor, values: Mapping[str, Any]) -> str | None:
    """What makes trials run on other machines, as it was asked for; None where they run on this one."""
    if executor.elsewhere:
        return f"--executor {executor.name}"
    known = executor.known_options
    return next((f"--executor-option {name}" for name in values if known[name].elsewhere and values[name]), None)
