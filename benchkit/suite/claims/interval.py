"""Two ends that a claim names."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator


def _in_order(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] <= ends[1]:
        raise ValueError(f"the ends are {list(ends)}: the lower end comes first")
    return ends


Interval = Annotated[tuple[float, float], AfterValidator(_in_order)]
