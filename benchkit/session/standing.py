"""How far a run is whose repetitions go on until its questions are decided."""

from __future__ import annotations

from dataclasses import dataclass

from benchkit.report.formatting import duration

_SHOWN = 5


@dataclass(frozen=True)
class RunStanding:
    """How far a run is.

    Attributes
    ----------
    decided, open, stuck : int
        Questions: decided, open, and not decided although no further repetition would help.
    cpu_seconds : float
        That the open ones may take at most, up to the most repetitions.
    until : float or None
        Seconds left of the time given.
    never_on_new_rows : tuple of str
        Comparisons that no number of repetitions of these rows will decide on new rows; see `RunQuestion`.
    """

    decided: int
    open: int
    stuck: int
    cpu_seconds: float
    until: float | None
    never_on_new_rows: tuple[str, ...] = ()

    def __str__(self) -> str:
        stuck = f", {self.stuck} not to be decided by more" if self.stuck else ""
        expected = f"; at most about {duration(self.cpu_seconds)} of one worker" if self.open else ""
        limit = f", {duration(self.until)} left of the time given" if self.until is not None and self.open else ""
        count = self.decided + self.open + self.stuck
        return f"{self.decided} of {count} decided, {self.open} open{stuck}{expected}{limit}"

    @property
    def warning(self) -> str:
        """What no number of repetitions will tell, in one line; empty where there is no such thing."""
        if not self.never_on_new_rows:
            return ""
        first = "; ".join(self.never_on_new_rows[:_SHOWN])
        rest = len(self.never_on_new_rows) - _SHOWN
        others = f"; and {rest} more" if rest > 0 else ""
        return f"on new rows repeating will not decide these, more rows would: {first}{others}"
