"""Which parameters of a data set are part of its name where people read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

ShownParams = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Takes a data set's name or label and its parameters; returns those to show."""


def shown_params_among(known: Iterable[tuple[str, Mapping[str, Any]]], labels: Collection[str]) -> ShownParams:
    """Show all parameters, but under a label of the suite those alone that tell data sets apart.

    Parameters
    ----------
    known : iterable of (str, mapping)
        All data sets that are named beside each other, with their parameters.
    labels : collection of str
        Data sets that the suite gave a label.
    """
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for dataset, params in known:
        for key, value in params.items():
            values[dataset, key].add(str(value))

    def shown(dataset: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if dataset not in labels:
            return params
        return {key: value for key, value in params.items() if len(values[dataset, key]) > 1}

    return shown
