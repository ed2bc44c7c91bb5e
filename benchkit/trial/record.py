"""The record of a trial, and the number of the protocol that its outcome follows.

The number is raised by a person whenever what a trial gives changes, and by nothing else. A row is reused, and
published rows stand beside a run's own, only where it is the same. The test of golden records
(``tests/trial/test_golden_records.py``) fails when an outcome changed and the number did not.

======  ===========================================================
number  what changed
======  ===========================================================
1       the protocol of version 0.2.0
======  ===========================================================
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from benchkit.plugin.guard import with_blame

if TYPE_CHECKING:
    from benchkit.suite.trial import Trial


PROTOCOL = 1

# What the protocol itself computes with: splits, preprocessing, feature values, draws.
COMPUTES_WITH = ("numpy", "scipy", "sklearn")


Status = Literal["ok", "failed", "timeout", "memory", "crashed", "skipped"]

# Characters of an error's message that are kept.
_LONGEST = 500
# Only these leave nothing to be done again or complained about.
ENDED_WELL = ("ok", "skipped")

LARGEST = 1e100
"""Of a record's numbers: a mean has room for it, and a variance for its square."""

SAMPLING_FIELDS = ("n_rows", "n_train", "n_validation", "n_test", "n_features", "generated", "split", "folds", "units")
"""The size of the data and how its rows were drawn, by `benchkit.trial.prepared`; None where a trial did not end ok."""


def record(
    trial: Trial,
    trial_id: str,
    status: Status,
    *,
    outcome: Mapping[str, Any] | None = None,
    error: BaseException | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """One row of the journal, with every field that readers rely on.

    Parameters
    ----------
    trial : Trial
    trial_id : str
    status : str
    outcome : mapping, optional
        Fields that the trial produced.
    error : exception, optional
        Why it did not end ok.
    reason : str, optional
        One line instead of the exception's.
    """
    row: dict[str, Any] = {"trial": trial_id, "status": status, **trial.fields, "metrics": {}}
    row |= {"fit_seconds": None, "tune_seconds": None, "cpu_seconds": None, "peak_mb": None}
    row |= {"error_type": None, "error": None}
    row |= dict.fromkeys(SAMPLING_FIELDS) | {
        "warnings": {},
        "at_edge": {},
        "no_value": {},
        "metric_code": {},
        "tuning": [],
        "outcomes": None,
    }
    if error is not None:
        row |= {"error_type": type(error).__name__, "error": _line(reason or with_blame(error))}
    elif reason:
        row |= {"error_type": status, "error": _line(reason)}
    return row | dict(outcome or {})


def _line(text: str) -> str:
    """The first line of a message, of bounded length, in characters that every file and terminal takes."""
    first = next(iter(text[: 10 * _LONGEST].strip().splitlines()), "")
    short = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}..."
    plain = short.encode("utf-8", "replace").decode("utf-8")
    return "".join(character if character.isprintable() else "?" for character in plain)


def traceback_text(error: BaseException) -> str:
    """The full traceback, for the run's folder."""
    return "".join(traceback.format_exception(error))
