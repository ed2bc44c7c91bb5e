"""All that an audit measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchkit.auditing.columns import Source, listed
from benchkit.auditing.gaps import Filled, Probed, Reading
from benchkit.auditing.lost_columns import Lost, Outages, RandomLoss
from benchkit.auditing.lost_sets import LostPair, LostSet
from benchkit.auditing.measured import Confidence, Measured, Slice, at_once, confidence
from benchkit.auditing.row_attack import Attacked
from benchkit.auditing.subject import Subject

if TYPE_CHECKING:
    import numpy as np

    from benchkit.auditing.hardened import Hardened

MATTERS = 0.05
"""What counts: five rows in a hundred; of a regression, this share of the constant answer's loss."""
HARMLESS = 0.01
"""What does not: one row in a hundred, or such a share."""


@dataclass
class Outcome:
    """What was measured, part by part; a part that was skipped is empty and named.

    Attributes
    ----------
    subject : Subject
    sources : list of Source
    filled : Filled
    given : int
        Rows of the hold-out; fewer may have been used.
    row_losses : ndarray of shape (n_rows,)
        Of each row where nothing is lost.
    sureness : ndarray of shape (n_rows,) or None
        The probability of each answer there.
    before, against_constant : Measured
        The mean loss where nothing is lost, and that less the constant answer's.
    constant : Measured
        The constant answer's mean loss.
    by_other_loss : Measured or None
        Of a regression, ``against_constant`` by squared errors in place of absolute ones, or the reverse.
    columns : list of Lost
        What costs most first.
    pairs : list of LostPair
    every_pair : bool
    sets : list of LostSet
    random : list of RandomLoss
    attacked : list of Attacked
    probes : list of Probed
    readings : list of Reading
    outages : list of Outages
        One for each fallback, that of the audit first; empty where no rates were given.
    slices, slices_lost : list of Slice
        Of losses where nothing is lost, and of what the loss of ``sliced_by`` costs.
    sliced_by : str
    hardened : list of Hardened
        Models that were trained for lost columns, on the same rows.
    train_rows : int
        Of the training table; 0 where none was given.
    skipped : dict of part to reason
    notes : list of str
    """

    subject: Subject
    sources: list[Source]
    filled: Filled
    given: int
    row_losses: np.ndarray
    sureness: np.ndarray | None
    before: Measured
    constant: Measured
    against_constant: Measured
    by_other_loss: Measured | None = None
    columns: list[Lost] = field(default_factory=list)
    pairs: list[LostPair] = field(default_factory=list)
    every_pair: bool = False
    sets: list[LostSet] = field(default_factory=list)
    random: list[RandomLoss] = field(default_factory=list)
    attacked: list[Attacked] = field(default_factory=list)
    probes: list[Probed] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    outages: list[Outages] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)
    slices_lost: list[Slice] = field(default_factory=list)
    sliced_by: str = ""
    hardened: list[Hardened] = field(default_factory=list)
    train_rows: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def scale(self) -> float:
        """What losses are compared with: all rows of a classifier, the constant answer's mean loss of a regression."""
        return 1.0 if self.subject.shares else self.constant.value or 1.0

    @property
    def better_by(self) -> str:
        """The loss of a regression by which the model is decided to beat the constant answer, though not by its own."""
        if self.by_other_loss is None or self.against_constant.below(0.0) or not self.by_other_loss.below(0.0):
            return ""
        return "squared" if self.subject.loss == "absolute" else "absolute"

    @property
    def confidences(self) -> list[Confidence]:
        """Of all rows: where nothing is lost, where columns are lost at random, and where the worst one is."""
        told = [confidence(self.sureness, self.row_losses, "nothing lost"), *(each.confidence for each in self.random)]
        if self.columns:
            worst, level = self.columns[0], at_once(len(self.columns))
            told.append(confidence(worst.sureness, worst.losses, f"{listed([worst.source])} lost", level))
        return [each for each in told if each is not None]

    @property
    def alone(self) -> tuple[str, Measured] | None:
        """The source that tells most alone, and the rise of the loss where all others are lost."""
        best = min(self.columns, key=lambda each: each.others.value, default=None)
        return None if best is None else (best.source, best.others)

    def matters(self, pair: LostPair) -> bool:
        """Whether it is decided that a pair costs more than a little beyond what either costs alone."""
        beyond = pair.excess.p < 0.05 and pair.excess.above(HARMLESS * self.scale)
        return beyond and pair.cost.above(MATTERS * self.scale)

    def measures(self) -> dict[str, Measured]:
        """Every number that ``--fail-if`` may name."""
        found = {"loss": self.before}
        if self.columns:
            found["column-loss"] = self.columns[0].cost
        if self.pairs:
            found["pair-loss"] = self.pairs[0].excess
        if self.outages:
            found["outage-loss"] = self.outages[0].cost
        found |= {f"worst-{len(each.sources)}": each.cost for each in self.sets}
        found |= {f"row-worst-{each.lost}": each.cost for each in self.attacked}
        found |= {f"random-{each.lost}": each.cost for each in self.random}
        gaps = [each.changed for each in self.probes if each.kind == "NaN" and each.changed is not None]
        if gaps:
            worst = max(gaps, key=lambda each: each.low)
            found["gap-change"] = Measured(
                max(each.value for each in gaps), worst.low, max(each.high for each in gaps), worst.n
            )
        if len(self.confidences) > 1:
            found["overconfidence"] = max(
                (each.overconfidence for each in self.confidences[1:]), key=lambda each: each.low
            )
        return found
