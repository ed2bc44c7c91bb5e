"""``--fail-if``: comparisons of named numbers with limits, judged by their intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from benchkit.auditing.measured import Measured
from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import Suggestion

_FORM = re.compile(r"\s*([a-z][a-z0-9-]*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_FAMILIES = (
    *("loss", "column-loss", "outage-loss", "pair-loss", "worst-N", "row-worst-N", "random-N", "gap-change"),
    "overconfidence",
)


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
    """What came of a condition.

    Attributes
    ----------
    condition : str
        As it was given.
    measured : Measured or None
        The number that it names; None where that was not measured.
    verdict : {"holds", "does not hold", "not decided", "not measured"}
        A condition holds, or does not, where the whole interval lies on one side of the limit.
    text : str
        All of it in one line.
    """

    condition: str
    measured: Measured | None
    verdict: Literal["holds", "does not hold", "not decided", "not measured"]
    text: str

    @property
    def failed(self) -> bool:
        """Whether the audit fails: the condition holds, or nothing was measured that could tell."""
        return self.verdict in ("holds", "not measured")

    def __str__(self) -> str:
        return self.text


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


def judge_threshold(threshold: Threshold, measures: Mapping[str, Measured]) -> Judged:
    """A threshold against its number: it fails where the interval leaves no doubt, or where there is no number."""
    name, measured = threshold.name, measures.get(threshold.name)
    if measured is None:
        text = f"{threshold.text}: not measured; this audit has {', '.join(measures)}"
        return Judged(threshold.text, None, "not measured", text)
    above, below = measured.above(threshold.limit), measured.below(threshold.limit)
    beyond, within = (above, below) if threshold.upwards else (below, above)
    interval = f"{name} is {measured.value:.3g} [{measured.low:.3g}, {measured.high:.3g}]"
    said = "so" if beyond else "not so" if within else "not decided"
    return Judged(
        threshold.text,
        measured,
        "holds" if beyond else "does not hold" if within else "not decided",
        f"{threshold.text}: {said}, {interval}",
    )
