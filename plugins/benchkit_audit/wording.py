"""Numbers of an audit in words: what the metric is, by how much it worsens, on which rows."""

import math
from collections.abc import Sequence

from benchkit_audit.estimates import HUGE, Estimate, bare, number_text
from benchkit_audit.metrics import Metric
from benchkit_audit.subject import Subject, listed

_FIRST = 8
_USELESS = 5  # times the loss: an end of its interval beyond that


def several(texts: Sequence[str], most: int = 4) -> str:
    """The first texts in a row, and how many more there are."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ("; " if any("," in each for each in texts) else ", ").join(texts[:most]) + more


def first(names: Sequence[str]) -> str:
    """The first names in a row, and how many more there are."""
    more = [f"{len(names) - _FIRST} more"] if len(names) > _FIRST else []
    return listed([*names[:_FIRST], *more], " and ")


def points(share: float, digits: int = 1) -> str:
    """Hundredths; zero has no sign."""
    return f"{round(100 * share, digits) + 0.0:.{digits}f}"


def _number(metric: Metric, value: float, low: float, high: float, after: str, digits: int = 1) -> str:
    """A number of the metric with its interval, where there is one; in its own unit to two digits of half of that."""
    half, decimals = (high - low) / 2, None
    if math.isfinite(metric.most) or metric.greater:
        decimals = 3
    elif 0 < half < math.inf and max(abs(low), abs(high)) < HUGE:
        decimals = max(0, 1 - math.floor(math.log10(half)))
    huge = any(HUGE <= abs(each) < math.inf for each in (value, low, high))

    def shown(each: float) -> str:
        if metric.percent:
            return points(each, digits)
        if decimals is not None:
            return f"{round(each, decimals) + 0.0:.{decimals}f}"
        return f"{each:.4g}" if huge else number_text(each)

    text = shown(value) + (after if metric.percent else "")
    return f"{text} [{shown(low)}, {shown(high)}]" if math.isfinite(half) else text


def score(metric: Metric, loss: Estimate) -> str:
    """The metric's own number: ``78.2 % [76.9, 79.4]``, ``0.690 [0.620, 0.750]``; of errors what is right.

    Where a row or a few make nearly all of squared errors their interval is too wide to say anything, and is left out.
    """
    if metric.kind == "squares" and loss.high > _USELESS * loss.value:
        loss = bare(loss.value)
    numbers = (loss.value, loss.low, loss.high)
    value, *ends = (1 - each if metric.kind == "shares" else metric.score(each) for each in numbers)
    low, high = sorted(ends)
    return _number(metric, value, low, high, " %")


def performance(subject: Subject, loss: Estimate) -> str:
    """How good the answers are: ``is right in 78.2 % [76.9, 79.4]``, ``has F1 of 'yes' 0.690 [0.620, 0.750]``."""
    metric = subject.metric
    verb = "is off by" if metric.name == "absolute" else f"has {metric.words}"
    return f"{'is right in' if metric.kind == 'shares' else verb} {score(metric, loss)}"


def of_rows(subject: Subject, n: int) -> str:
    """On how many rows, where these are not all."""
    return "" if n == subject.n_rows else f" on {n:,} rows"


def on_rows(subject: Subject, loss: Estimate, cost: Estimate) -> str:
    """The same for a loss, with what it is on these rows where nothing is lost."""
    rows = of_rows(subject, loss.n)
    return f"{rows} ({score(subject.metric, bare(loss.value - cost.value))} with nothing lost)" if rows else ""


def rise(subject: Subject, cost: Estimate, digits: int = 1) -> str:
    """By how much the metric worsens: ``7.2 points [6.1, 8.3]``, or in its own unit."""
    return _number(subject.metric, cost.value, cost.low, cost.high, " points", digits)


def unit(subject: Subject) -> str:
    """What costs are counted in."""
    metric = subject.metric
    if metric.kind == "shares":
        return "points of right answers"
    return f"points of {metric.words}" if metric.percent else metric.words
