"""Whether a namespace was changed since it was last looked at, without looking at what it holds.

A dictionary of CPython 3.11 to 3.13 has a version, a number that is new after every change (PEP 509). Reading it costs
1 us; comparing thousands of attributes costs their way through the processor's cache, in every trial.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

# It stands behind the object's header and the number of items.
_OFFSET = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)


def _counter(namespace: dict[str, Any]) -> ctypes.c_uint64:
    return ctypes.c_uint64.from_address(id(namespace) + _OFFSET)


def _is_there() -> bool:
    """Whether dictionaries have a version where it is looked for."""
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 14):
        return False
    namespace: dict[str, Any] = {"a": 1}
    counter = _counter(namespace)
    seen = [counter.value, counter.value]
    for value in (2, 3):
        namespace["a"] = value
        seen.append(counter.value)
    return seen[0] == seen[1] and len(set(seen)) == len(seen) - 1


_IS_THERE = _is_there()


def version_counter(namespace: dict[str, Any]) -> ctypes.c_uint64 | None:
    """A view of the number that is new after every change; None where there is none.

    The caller keeps the namespace alive for as long as it looks.
    """
    return _counter(namespace) if _IS_THERE else None
