"""How numbers of an audit are worded."""

from __future__ import annotations

from benchkit_audit.estimates import Estimate
from benchkit_audit.subject import Subject


def _points(share: float) -> str:
    """Hundredths with one decimal; zero has no sign."""
    return f"{round(100 * share, 1) + 0.0:.1f}"


def percent(share: float) -> str:
    """A share of rows."""
    return f"{_points(share)} %"


def ends(low: float, high: float) -> str:
    """An interval of shares."""
    return f"[{_points(low)}, {_points(high)}]"


def performance(subject: Subject, loss: Estimate) -> str:
    """How good the answers are: ``right in 78.2 % [76.9, 79.4]``, or ``off by 3.1 [2.9, 3.3]``."""
    if subject.shares:
        return f"right in {percent(1 - loss.value)} {ends(max(0.0, 1 - loss.high), min(1.0, 1 - loss.low))}"
    text = f"off by {loss.value:.4g} [{loss.low:.4g}, {loss.high:.4g}]"
    return text if subject.loss == "absolute" else f"{text} (squared)"


def left_by(subject: Subject, loss: Estimate, exact: bool) -> str:
    """How good the answers are at worst; where more damage may be possible than was found, that is said."""
    return performance(subject, loss) + ("" if exact else " or less" if subject.shares else " or more")


def of_rows(subject: Subject, n: int) -> str:
    """On how many rows, where these are not all."""
    return "" if n == subject.n_rows else f" on {n:,} rows"


def on_rows(subject: Subject, loss: Estimate, cost: Estimate) -> str:
    """The same for a mean loss, with what it is on these rows where nothing is lost."""
    if loss.n == subject.n_rows:
        return ""
    intact = loss.value - cost.value
    return (
        f"{of_rows(subject, loss.n)} ({percent(1 - intact) if subject.shares else f'{intact:.4g}'} with nothing lost)"
    )


def rise(subject: Subject, cost: Estimate, interval: bool = True) -> str:
    """By how much the loss rises: ``7.2 points [6.1, 8.3]``, or in the unit of the target."""
    if subject.shares:
        text = f"{_points(cost.value)} points"
        return f"{text} {ends(cost.low, cost.high)}" if interval else text
    text = f"{cost.value:.4g}"
    return f"{text} [{cost.low:.4g}, {cost.high:.4g}]" if interval else text


def fine_rise(subject: Subject, cost: Estimate, interval: bool = True) -> str:
    """The same in hundredths of points: what is rare costs little on average."""
    if not subject.shares:
        return rise(subject, cost, interval)
    value, low, high = (f"{round(100 * each, 2) + 0.0:.2f}" for each in (cost.value, cost.low, cost.high))
    return f"{value} points [{low}, {high}]" if interval else f"{value} points"


def amount(subject: Subject, value: float) -> str:
    """A rise of the loss without an interval."""
    return f"{_points(value)} points" if subject.shares else f"{value:.4g}"
