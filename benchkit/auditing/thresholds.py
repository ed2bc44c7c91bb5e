"""``--fail-if``: comparisons of named numbers with limits, judged by their intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchkit.auditing.measured import Measured
from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import Suggestion

_FORM = re.compile(r"\s*([a-z][a-z0-9-]*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_FAMILIES = ("loss", "column-loss", "pair-loss", "worst-N", "row-worst-N", "random-N", "gap-change", "overconfidence")


@dataclass(frozen=True)
class Threshold:
    """A condition under which an audit fails.

    Attributes
    ----------
    name : str
    upwards : bool
        Whether it fails above the limit.
    limit : float
    text : str
        As it was given.
    """

    name: str
    upwards: bool
    limit: float
    text: str


@dataclass(frozen=True)
class Judged:
    """What came of a threshold.

    Attributes
    ----------
    threshold : Threshold
    measured : Measured or None
        None where it was not measured.
    failed : bool
        Whether the whole interval lies beyond the limit.
    decided : bool
        Whether the interval lies on one side of it.
    """

    threshold: Threshold
    measured: Measured | None
    failed: bool
    decided: bool

    def __str__(self) -> str:
        if self.measured is None:
            return f"{self.threshold.text}: not measured in this audit"
        interval = f"{self.measured.value:.3g} [{self.measured.low:.3g}, {self.measured.high:.3g}]"
        said = "so" if self.failed else "not so" if self.decided else "not decided"
        return f"{self.threshold.text}: {said}, {self.threshold.name} is {interval}"


def read_threshold(text: str) -> Threshold:
    """A comparison such as ``column-loss > 0.05`` or ``worst-2 > 10 %``.

    Raises
    ------
    RequestError
        It is none, or names no number of an audit.
    """
    found = _FORM.fullmatch(text)
    if not found:
        raise RequestError(f"--fail-if {text!r}: expected a comparison such as 'column-loss > 0.05'")
    name, sign, limit, per_cent = found.groups()
    family = re.sub(r"-\d+$", "-N", name)
    if family not in _FAMILIES:
        hint = Suggestion(name, _FAMILIES, otherwise=f"there are {', '.join(_FAMILIES)}")
        raise RequestError(f"--fail-if {text!r}: an audit has no {name!r}; {hint}")
    return Threshold(name, sign.startswith(">"), float(limit) / (100 if per_cent else 1), text.strip())


def judge_thresholds(thresholds: Sequence[Threshold], measures: Mapping[str, Measured]) -> list[Judged]:
    """Every threshold against its number: it fails where the interval leaves no doubt."""
    found = []
    for each in thresholds:
        measured = measures.get(each.name)
        if measured is None:
            found.append(Judged(each, None, False, False))
            continue
        beyond = measured.above(each.limit) if each.upwards else measured.below(each.limit)
        within = measured.below(each.limit) if each.upwards else measured.above(each.limit)
        found.append(Judged(each, measured, beyond, beyond or within))
    return found
