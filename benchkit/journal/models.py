"""The fitted estimators that ``--keep-models`` stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchkit.journal.errors import JournalError


def read_model(folder: Path, trial: str, *, trusted: bool) -> Any:
    """The fitted estimator of a trial.

    Parameters
    ----------
    folder : Path
        ``runs/<suite>/models``.
    trial : str
        Its id, or the beginning of it.
    trusted : bool
        Whether the user made the run or trusts who did: unpickling executes what the file says.

    Raises
    ------
    JournalError
        There is no such model, or it is not trusted.
    """
    import joblib

    paths = sorted(folder.glob(f"{trial}*.joblib"))
    if len(paths) != 1:
        some = "no model" if not paths else "more than one model"
        raise JournalError(f"{folder}: {some} of a trial {trial!r}; 'benchkit run --keep-models' stores them")
    if not trusted:
        raise JournalError(f"{paths[0]}: unpickling can execute anything, and nobody said that this run is trusted")
    return joblib.load(paths[0])
