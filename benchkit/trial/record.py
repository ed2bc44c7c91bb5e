"""The record of a trial: the one row that it ends as."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any, Literal

from benchkit.suite.plan import Trial

Status = Literal["ok", "failed", "timeout", "memory", "crashed", "skipped", "interrupted"]

# Only these leave nothing to be done again or complained about.
ENDED_WELL = ("ok", "skipped")


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
    if error is not None:
        lines = str(error).strip().splitlines()
        row |= {"error_type": type(error).__name__, "error": reason or (lines[0] if lines else type(error).__name__)}
    elif reason:
        row |= {"error_type": status, "error": reason}
    return row | dict(outcome or {})


def traceback_text(error: BaseException) -> str:
    """The full traceback, for the run's folder."""
    return "".join(traceback.format_exception(error))
