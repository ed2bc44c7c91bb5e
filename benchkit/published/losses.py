"""Losses of test rows, published beside the trials' own rows: which rows were tested, and what each of them lost.

Four columns of bytes, all of them optional.

Nothing else of the rows is published, no label and no prediction. So methods are compared row by row, by rates of error
and squared or absolute errors; a metric that must know the classes keeps the variance of its repetitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.journal import JournalError, Record
from benchkit.journal.outcomes import Outcomes
from benchkit.statistics.row_differences import has_mean

if TYPE_CHECKING:
    import numpy as np

    from benchkit.trial.outcomes import RowOutcomes

LOSS_COLUMNS: Mapping[str, str] = {
    "tested": "which rows of the data set were tested: a bit for each, the highest of the first byte for row 0",
    "groups": "the group of each tested row, where whole groups are drawn: 32-bit integers, little-endian",
    "wrong": "whether each tested row was predicted wrongly, in the order of the data set: a bit for each, as above",
    "squared": "squared error of each tested row, in the order of the data set: 32-bit floats, little-endian",
}
"""Name and meaning of each column."""

MOST_BYTES_OF_A_VALUE = 2**20

_RIGHT_OR_WRONG = ("right", "wrong")


@dataclass(frozen=True)
class RowLosses:
    """The losses of a trial's test rows, as the columns have them; `wrong` or `squared` is None."""

    tested: bytes
    groups: bytes | None = None
    wrong: bytes | None = None
    squared: bytes | None = None

    def unpacked(self) -> RowOutcomes:
        """As outcomes that a run keeps: what is right is called ``right``, since no label is published."""
        import numpy as np

        from benchkit.trial.outcomes import RowOutcomes, TestPart

        rows = np.flatnonzero(np.unpackbits(np.frombuffer(self.tested, np.uint8))).astype(np.int32)
        groups = None if self.groups is None else np.frombuffer(self.groups, "<i4").astype(np.int32)
        if self.wrong is not None:
            truth: np.ndarray = np.zeros(len(rows), np.int32)
            loss: np.ndarray = np.unpackbits(np.frombuffer(self.wrong, np.uint8))[: len(rows)].astype(bool)
            return RowOutcomes(TestPart(rows, truth, _RIGHT_OR_WRONG, groups), loss)
        assert self.squared is not None
        loss = np.frombuffer(self.squared, "<f4").astype(np.float32)
        return RowOutcomes(TestPart(rows, np.zeros(len(rows)), None, groups), loss)

    def disagreement(self, metrics: Mapping[str, float | None]) -> str:
        """The metric of a trial that has another value than the mean of these; empty where none has.

        Parameters
        ----------
        metrics : mapping of str to float or None
        """
        metric = "error" if self.wrong is not None else "mean-squared-error"
        told = metrics.get(metric)
        return "" if told is None or has_mean(self.unpacked().loss, told) else metric

    def differing(self, again: RowLosses | None, tolerance: float) -> int:
        """How many of these rows lose something else when the trial is run again.

        Parameters
        ----------
        again : RowLosses or None
        tolerance : float
            By how much a squared error may differ, relative to the larger of 1 and its value.
        """
        import numpy as np

        loss = self.unpacked().loss
        if again is None or (again.tested, again.groups) != (self.tested, self.groups):
            return len(loss)
        now = again.unpacked().loss
        if now.dtype != loss.dtype:
            return len(loss)
        # Squared errors are rounded to 32 bits.
        allowed = 0.0 if loss.dtype == bool else tolerance + float(np.finfo(np.float32).eps)
        return int((np.abs(now.astype(float) - loss) > allowed * np.maximum(1.0, loss)).sum())

    def problem(self, n_test: int | None) -> str:
        """Why these cannot be the losses of so many tested rows; empty where they can.

        Parameters
        ----------
        n_test : int or None
            Of the trial.
        """
        import numpy as np

        if (self.wrong is None) == (self.squared is None):
            return "expected losses as `wrong` or as `squared`"
        count = int.from_bytes(self.tested).bit_count()
        if count != n_test:
            return f"losses of {count} rows, where {n_test} were tested"
        if self.groups is not None and len(self.groups) != 4 * count:
            return "not one group for each tested row"
        if self.squared is not None:
            if len(self.squared) != 4 * count:
                return "not one loss for each tested row"
            squared = np.frombuffer(self.squared, "<f4")
            return "" if np.all(np.isfinite(squared) & (squared >= 0)) else "a squared error that is none"
        assert self.wrong is not None
        if len(self.wrong) != -(-count // 8):
            return "not one loss for each tested row"
        beyond = np.unpackbits(np.frombuffer(self.wrong, np.uint8))[count:]
        return "a loss of a row that was not tested" if beyond.any() else ""


def packed(kept: RowOutcomes) -> RowLosses | None:
    """What is published of a trial's rows; None where a row was tested twice, or they are more than a value holds.

    Parameters
    ----------
    kept : RowOutcomes
    """
    import numpy as np

    rows, groups = kept.part.rows, kept.part.groups
    if not len(rows) or rows.min() < 0 or rows.max() >= 8 * MOST_BYTES_OF_A_VALUE or len(np.unique(rows)) < len(rows):
        return None
    order = np.argsort(rows)
    tested: np.ndarray = np.zeros(int(rows.max()) + 1, bool)
    tested[rows] = True
    loss = kept.loss[order]
    classifies = kept.part.classes is not None
    found = RowLosses(
        tested=np.packbits(tested).tobytes(),
        groups=None if groups is None else groups[order].astype("<i4").tobytes(),
        wrong=np.packbits(loss.astype(bool)).tobytes() if classifies else None,
        squared=None if classifies else loss.astype("<f4").tobytes(),
    )
    longest = max(len(each or b"") for each in (found.tested, found.groups, found.wrong, found.squared))
    return found if longest <= MOST_BYTES_OF_A_VALUE and not found.problem(len(rows)) else None


def losses_of_run(record: Record, outcomes: Outcomes) -> RowLosses | None:
    """The losses that a run has kept of a trial that ended ok; None where it has none that can be read and agree.

    Parameters
    ----------
    record : record
    outcomes : Outcomes
        Of the run's output folder.
    """
    if record["status"] != "ok":
        return None
    try:
        kept = outcomes.of(record)
    except JournalError:
        return None
    found = None if kept is None else packed(kept)
    return None if found is None or found.disagreement(record["metrics"]) else found
