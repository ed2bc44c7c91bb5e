"""Warnings that a fit raises, counted by class: a solver that stopped early must not go unseen."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

MOST_CLASSES = 10
"""Classes that a record names; the rest are counted together."""
OTHER = "other"


class Watched(NamedTuple):
    """What a call returned, and how many warnings of each class it raised."""

    value: Any
    warned: Mapping[str, int]


def watch(call: Callable[[], Any]) -> Watched:
    """Call, counting every warning by the name of its class; the first of each class is also shown as usual.

    What the called code ignores by a filter stays ignored.
    """
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def count(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if category.__name__ not in counts:
                show(message, category, *where, **more)
            counts[category.__name__] += 1

        warnings.simplefilter("always")
        warnings.showwarning = count
        value = call()
    return Watched(value, dict(counts))


def bounded(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent classes, and the rest as `OTHER`."""
    ordered = Counter(counts).most_common()
    rest = sum(count for _, count in ordered[MOST_CLASSES:])
    return dict(ordered[:MOST_CLASSES]) | ({OTHER: rest} if rest else {})
