"""Checking how a suite searches for parameters against the tuners that there are."""

from __future__ import annotations

import inspect

from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.schema import Tune
from benchkit.suite.source import Location, Source


def check_search(stage: Tune, registry: Registry, source: Source, at: Location) -> None:
    """Raise `SuiteError` where no plugin declares the tuner, or it does not take the options."""
    try:
        tuner = registry.tuners[stage.search]
    except UnknownNameError as error:
        raise source.error([*at, "search"], str(error)) from None
    try:
        parameters = tuner.make.parameters()
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
            for name in stage.options:
                if name not in parameters:
                    known = ", ".join(parameters) or "none"
                    hint = Suggestion(name, parameters, otherwise=f"it takes {known}")
                    raise source.error([*at, "options", name], f"tuner {tuner.name} has no option {name!r}; {hint}")
        tuner.make(**stage.options)
    except (ImportError, TypeError, ValueError) as error:
        raise source.error([*at, "search"], f"tuner {tuner.name} cannot be made: {one_line(error)}") from None
