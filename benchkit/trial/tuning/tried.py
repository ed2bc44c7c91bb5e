"""What tuning tried: every candidate's score and cost, bounded so that a record stays a line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = 200
"""Judgements of a stage that a record keeps; after these, only those that were better than all before."""


@dataclass(frozen=True)
class JudgedCandidate:
    """One candidate on so many rows.

    Attributes
    ----------
    params : mapping
    loss : float
        Less is better; NaN where there is none.
    seconds : float
        Of its fits and of its scoring.
    spent : float
        Seconds of the whole tuning when it had been judged, earlier stages included.
    rows : int
        That it was fitted on (the smallest inner training part, where there are several).
    """

    params: Mapping[str, Any]
    loss: float
    seconds: float
    spent: float
    rows: int


@dataclass
class Tried:
    """The judgements of one stage, in order.

    Attributes
    ----------
    judgements : list of JudgedCandidate
    stopped : bool
        Whether the seconds were spent before the tuner had finished.
    """

    judgements: list[JudgedCandidate] = field(default_factory=list)
    stopped: bool = False

    def best(self) -> JudgedCandidate | None:
        """Of those judged on the most rows, the one with the least loss, the first of equals; None where all are NaN.

        Where successive halving is stopped in a round, that is the best of what this round had judged.
        """
        known = [each for each in self.judgements if not math.isnan(each.loss)]
        if not known:
            return None
        most = max(each.rows for each in known)
        return min((each for each in known if each.rows == most), key=lambda each: each.loss)

    def to_record(self, sign: float) -> dict[str, Any]:
        """As the journal keeps it, column by column.

        Parameters
        ----------
        sign : float
            -1 where the metric is better when greater, so that scores are the metric's own values.
        """
        kept = list(self._kept())
        names = list(dict.fromkeys(name for each in kept for name in each.params))
        columns: dict[str, Any] = {
            "params": names,
            "values": [[plain(each.params.get(name)) for name in names] for each in kept],
            "scores": [None if math.isnan(each.loss) else _rounded(sign * each.loss, 6) for each in kept],
            "seconds": [_rounded(each.seconds, 3) for each in kept],
            "spent": [_rounded(each.spent, 4) for each in kept],
            "rows": [each.rows for each in kept],
        }
        return {"judged": len(self.judgements), "left_out": len(self.judgements) - len(kept), **columns}

    def _kept(self) -> Iterator[JudgedCandidate]:
        best, further = math.inf, MOST
        for place, each in enumerate(self.judgements):
            better = each.loss < best
            best = min(best, each.loss) if not math.isnan(each.loss) else best
            if place < MOST:
                yield each
            elif better and further:
                further -= 1
                yield each


def plain(value: Any) -> Any:
    """A parameter as the record shows it."""
    import numpy as np

    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    return value if isinstance(value, str | int | float | bool | list | dict | None) else repr(value)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
