"""A question that repetitions are run for, and what of it is open."""

from __future__ import annotations

from dataclasses import dataclass

from benchkit.statistics.time_uniform import half_width


@dataclass(frozen=True)
class OpenPart:
    """One comparison of a question that its repetitions do not decide yet.

    Attributes
    ----------
    text : str
        What was measured, for people.
    cells : frozenset of str
        The cells whose repetitions it compares; they always go on together.
    pairs : int
        Repetitions that all of them have.
    level : float
        Of the interval.
    """

    text: str
    cells: frozenset[str]
    pairs: int
    level: float

    def shrinking(self, more: int) -> float:
        """Share of the interval's width that more repetitions are expected to take away."""
        now, then = half_width(self.pairs, self.level), half_width(self.pairs + more, self.level)
        return 1.0 if now == float("inf") else 1 - then / now


@dataclass(frozen=True)
class RunQuestion:
    """A claim, or which method is best at a point.

    Attributes
    ----------
    text : str
    answer : str
        What the repetitions so far say.
    decided : bool
        Whether they suffice, on these rows.
    cells : frozenset of str
        All that it compares.
    open_parts : tuple of OpenPart
        What more repetitions would narrow; none where it is decided, and where none would help.
    never_on_new_rows : tuple of str
        Comparisons that no number of repetitions of these rows will decide on new rows.
    new_rows : str
        What they say on new rows, by the rows that were kept, or corrected for the rows that repetitions share.
    """

    text: str
    answer: str
    decided: bool
    cells: frozenset[str]
    open_parts: tuple[OpenPart, ...] = ()
    never_on_new_rows: tuple[str, ...] = ()
    new_rows: str = ""

    @property
    def open(self) -> bool:
        """Whether more repetitions may decide it."""
        return not self.decided and bool(self.open_parts)
