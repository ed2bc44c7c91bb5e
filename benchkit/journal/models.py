"""The fitted estimators that ``--keep-models`` stores: by skops where it can, which executes nothing, else pickled."""

from __future__ import annotations

import glob
import pickle
from pathlib import Path
from typing import Any

from benchkit.data.stored_model import read_skops
from benchkit.errors import JournalError, RequestError, one_line
from benchkit.whole_file import write_whole

SAFE, PICKLED = ".skops", ".joblib"


def write_model(folder: Path, trial: str, model: Any) -> bool:
    """Store a trial's fitted estimator in ``runs/<suite>/models``, whole or not at all; False where it cannot be."""
    try:
        pickled = pickle.dumps(model, pickle.HIGHEST_PROTOCOL)
    except Exception:  # pickling raises anything
        return False
    safe = _safe(model)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{trial}{PICKLED if safe is None else SAFE}", pickled if safe is None else safe)
    except OSError:
        return False
    return True


def _safe(model: Any) -> bytes | None:
    """The model as skops writes it; None where reading it needs a class that skops does not know to be harmless."""
    from skops import io

    try:
        content: bytes = io.dumps(model)
        return None if io.get_untrusted_types(data=content) else content
    except Exception:  # it walks through the whole model, and calls what it finds there
        return None


def model_path(folder: Path, trial: str) -> Path | None:
    """Where the fitted estimator of a trial is, if it was kept."""
    return next((path for suffix in (SAFE, PICKLED) if (path := folder / f"{trial}{suffix}").exists()), None)


def read_model(folder: Path, trial: str, *, trusted: bool) -> Any:
    """The fitted estimator of a trial, by its id or the beginning of it.

    ``trusted`` says whether the user made the run or trusts who did: unpickling executes what the file says. A file of
    skops is read without that.
    """
    # A stranger's journal names trials: no pattern, and no way out of the folder.
    names = glob.escape(trial) if Path(trial).name == trial else ""
    trials = {path.stem for path in folder.glob(f"{names}*") if names and path.suffix in (SAFE, PICKLED)}
    path = model_path(folder, min(trials)) if len(trials) == 1 else None
    if path is None:
        some = "more than one model" if trials else "no model"
        raise JournalError(f"{folder}: {some} of a trial {trial!r}; 'benchkit run --keep-models' stores them")
    if path.suffix == SAFE:
        try:
            return read_skops(path)
        except RequestError as error:
            raise JournalError(f"{error}; the model is not as it was stored") from None
    if not trusted:
        raise JournalError(f"{path}: unpickling can execute anything, and nobody said that this run is trusted")
    import joblib

    try:
        return joblib.load(path)
    except Exception as error:  # unpickling raises anything
        raise JournalError(f"{path}: cannot be unpickled: {one_line(error)[:300]}") from None
