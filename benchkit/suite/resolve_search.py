"""Checking how a suite searches for parameters against the tuners that there are."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.schema import Tune
from benchkit.suite.source import Location, Source, SuiteError


def check_search(stage: Tune, registry: Registry, source: Source, at: Location) -> Iterator[SuiteError]:
    """Options that the tuner does not take; raised where no plugin declares it, or it cannot be made."""
    try:
        tuner = registry.tuners[stage.search]
    except UnknownNameError as error:
        raise source.error([*at, "search"], str(error)) from None
    try:
        parameters = tuner.make.parameters()
        unknown = []
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
            unknown = [name for name in stage.options if name not in parameters]
        for name in unknown:
            hint = Suggestion(name, parameters, otherwise=f"it takes {', '.join(parameters) or 'none'}")
            yield source.error([*at, "options", name], f"tuner {tuner.name} has no option {name!r}; {hint}")
        if not unknown:
            tuner.make(**stage.options)
    except (ImportError, TypeError, ValueError) as error:
        raise source.error([*at, "search"], f"tuner {tuner.name} cannot be made: {one_line(error)}") from None
