"""Which parameters there are, and whether a suite gives others."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from benchkit.plugin.declarations import Dataset, Deferred
from benchkit.plugin.manager import one_line
from benchkit.plugin.nearest_name import Suggestion
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.suite.source import Location

# A generated dataset takes its seed from the trial, not from the suite.
_GIVEN_BY_TRIAL = {"random_state"}


def parameters_of(target: Deferred, at: Location) -> set[str]:
    """The names of what can be given to something; any, where it takes any keyword."""
    try:
        return _names_of(target)
    except Exception as error:
        raise MistakeError(at, f"cannot import {target.target!r}: {one_line(error)}") from None


def dataset_parameters(dataset: Dataset) -> set[str]:
    """What a suite may give a dataset; anything, where it takes any keyword."""
    known = _names_of(dataset.load)
    known -= _GIVEN_BY_TRIAL
    if dataset.expand is not None:
        # It passes on what it does not name; what `load` takes decides about that.
        expanding = dataset.expand.parameters().values()
        known |= {p.name for p in expanding if p.kind is not inspect.Parameter.VAR_KEYWORD}
    return known


def check_params(
    params: Iterable[str],
    known: set[str],
    owner: str,
    at: Location,
    former: Iterable[str] = (),
) -> Mistakes:
    """Names that are not known; ``former`` ones are taken and not offered."""
    for name in params:
        if name not in known:
            offered = set(known).difference(former)
            hint = Suggestion(name, offered, otherwise=f"it takes {', '.join(sorted(offered)) or 'none'}")
            yield MistakeError([*at, name], f"{owner} has no parameter {name!r}; {hint}")


def _names_of(target: Deferred) -> set[str]:
    parameters = target.parameters()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return _Anything()
    return set(parameters)


class _Anything(set[str]):
    """The parameters of something that takes any keyword."""

    def __contains__(self, item: object) -> bool:
        return True
