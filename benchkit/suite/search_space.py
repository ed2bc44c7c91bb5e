"""The values that tuning tries, or the distributions that it draws them from, as a suite writes them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from benchkit.plugin.declarations import Distribution
from benchkit.plugin.nearest_name import Suggestion

_FORM = "a list of values, or a distribution such as {loguniform: [0.01, 100]}"


def read_space(space: Mapping[str, Any]) -> dict[str, list[Any] | Distribution]:
    """Lists as they are, mappings as distributions.

    Parameters
    ----------
    space : mapping of parameter to list or mapping
        ``{C: {loguniform: [0.01, 100]}, kernel: [linear, rbf]}``.

    Raises
    ------
    ValueError
        An entry is neither; or SciPy has no such distribution, or does not take these arguments.
    """
    return {name: _read(name, entry) for name, entry in space.items()}


def _read(parameter: str, entry: Any) -> list[Any] | Distribution:
    if isinstance(entry, list):
        if not entry:
            raise ValueError(f"{parameter}: an empty list: give {_FORM}")
        return entry
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise ValueError(f"{parameter}: {entry!r} is neither of these: {_FORM}")
    (name, arguments), *_ = entry.items()
    distribution = _distribution(str(name), arguments)
    _check(parameter, distribution)
    return distribution


def _distribution(name: str, arguments: Any) -> Distribution:
    if isinstance(arguments, Mapping):
        return Distribution(name, (), dict(arguments))
    return Distribution(name, tuple(arguments if isinstance(arguments, list) else [arguments]))


def _check(parameter: str, distribution: Distribution) -> None:
    """Refuse what SciPy cannot draw from."""
    import scipy.stats

    name, where = distribution.name, f"{parameter}: {distribution.name}"
    kinds = (scipy.stats.rv_continuous, scipy.stats.rv_discrete)
    known = [each for each in dir(scipy.stats) if isinstance(getattr(scipy.stats, each), kinds)]
    if name not in known:
        hint = Suggestion(name, known, otherwise="such as uniform, loguniform, norm, randint")
        raise ValueError(f"{parameter}: no distribution {name!r} in scipy.stats; {hint}")
    given = [*distribution.args, *distribution.kwargs.values()]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        raise ValueError(f"{where} takes numbers, not {given}")
    try:
        drawn = distribution.frozen().rvs(size=1, random_state=0)
    except (TypeError, ValueError) as error:
        takes = ", ".join(inspect.signature(getattr(scipy.stats, name)._parse_args).parameters)
        raise ValueError(f"{where} does not take {given}: {error}; it takes {takes}") from None
    if not (drawn == drawn).all():
        raise ValueError(f"{where} with {given} draws no numbers")
