"""The store of a suite: an append-only file of records, the source of truth; and fitted estimators beside it.

``--keep-models`` stores those by skops where it can, which executes nothing, else pickled.
"""

import codecs
import glob
import json
import math
import os
import pickle
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from benchkit.errors import JournalError, RequestError, one_line, writing
from benchkit.trial.record import Record, parse_record
from benchkit.whole_file import append_whole, write_whole

RUN_ID = "%Y%m%d-%H%M%S-%f"
"""How a run is called, by when it began: names sort as runs follow each other."""

LOCK = ".lock"
"""Name of the file in a suite's folder that the process holds which writes to the journal."""

# Others take the lock for a moment, to see whether anybody holds it.
_SECONDS_TO_WAIT = 0.2

# A type of numbers, which skops does not list: making one executes nothing.
_HARMLESS = {"numpy.dtype"}

_Key = TypeVar("_Key", bound=Hashable)


class Store:
    """``<out>/<suite>/``: the journal of a suite's finished trials, the cache of its fits, and its runs.

    ``damaged`` says which lines of the journal were passed over when it was last read, and why.
    """

    def __init__(self, out: Path, suite: str) -> None:
        self.folder = out / suite
        self.journal = self.folder / "trials.jsonl"
        self.fits = self.folder / "fits"
        self.models = self.folder / "models"
        self.damaged: list[str] = []
        self._lock = FileLock(self.folder / LOCK, timeout=_SECONDS_TO_WAIT)

    def open(self) -> None:
        """Make the folder, take it for this process, and see that the journal can be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            with self.journal.open("a+b", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                    file.write(b"\n")  # what a killed process left half-written stays a line by itself
        except Timeout:
            mistake = "another benchkit run is writing here; wait for it or use --out"
            raise JournalError(f"{self.folder}: {mistake}") from None
        except OSError as error:
            self.close()
            raise JournalError(f"{self.folder}: cannot write here: {error.strerror or error}") from None

    def close(self) -> None:
        """Let others write."""
        self._lock.release()

    def append(self, *records: Mapping[str, Any]) -> None:
        """Write to the journal of an open store, at once, all of the records or, where that fails, nothing."""
        assert self._lock.is_locked, "the store is not open"
        try:
            lines = [json.dumps(record, default=str, allow_nan=False) + "\n" for record in records]
        except ValueError:  # rarely
            lines = [json.dumps(_finite(record), default=str) + "\n" for record in records]
        with writing(self.journal):
            append_whole(self.journal, "".join(lines).encode())

    def rows(self) -> list[Record]:
        """Every record, in the order in which they were written.

        Lines that are no records are passed over, and ``damaged`` says so: a torn line is a trial that was not done.
        """
        records, reasons = [], list[str]()
        try:
            with self.journal.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    try:
                        records.append(parse_record(line.removeprefix(codecs.BOM_UTF8)))  # which an editor may leave
                    except ValueError as error:
                        if line.strip():
                            reasons.append(f"{self.journal.name}:{number}: {error}")
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise JournalError(f"{self.journal}: cannot read: {error.strerror or error}") from None
        count = f"{len(reasons)} lines were left out, the first:" if len(reasons) > 1 else "a line was left out:"
        self.damaged = [f"{count} {reasons[0]}"] if reasons else []
        return records

    def runs(self) -> list[Path]:
        """Folders of the runs, oldest first."""
        return sorted(path.parent for path in self.folder.glob("*/manifest.json"))


def _finite(value: Any) -> Any:
    """Plain JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def best(rows: Iterable[tuple[_Key, Record]]) -> dict[_Key, Record]:
    """Of the records under each key the latest that ended ok; where none did, the latest."""
    chosen: dict[_Key, Record] = {}
    for key, row in rows:
        if row["status"] == "ok" or key not in chosen or chosen[key]["status"] != "ok":
            chosen[key] = row
    return chosen


def is_written(out: Path, suite: str, run: str) -> bool | None:
    """Whether a run lies in an output folder, and a process writes to its suite's journal now.

    Names of strangers may be no names of folders; None where there is no such run, or it cannot be found out.
    """
    if any(name in ("", "..") or Path(name).name != name for name in (suite, run)):
        return None
    lock = out / suite / LOCK
    try:
        if not (out / suite / run).is_dir() or not lock.is_file():
            return None
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except (OSError, ValueError):
        return None


SAFE, PICKLED = ".skops", ".joblib"


def write_model(folder: Path, trial: str, model: Any) -> bool:
    """Store a trial's fitted estimator in ``runs/<suite>/models``, whole or not at all; False where it cannot be."""
    from skops import io

    try:
        content, suffix = pickle.dumps(model, pickle.HIGHEST_PROTOCOL), PICKLED
    except Exception:  # pickling raises anything
        return False
    with suppress(Exception):  # skops walks through the whole model, and calls what it finds there
        safe: bytes = io.dumps(model)
        if not io.get_untrusted_types(data=safe):  # else reading it needs a class that it does not know to be harmless
            content, suffix = safe, SAFE
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{trial}{suffix}", content)
        return True
    return False


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
    if len(trials) != 1 or (path := model_path(folder, min(trials))) is None:
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


def read_skops(path: Path, trusted: bool = False) -> Any:
    """The estimator of a file that skops wrote; ``trusted`` it may need classes that are not known to be harmless."""
    from skops import io

    try:
        unknown = set(io.get_untrusted_types(file=path))
        if trusted or unknown <= _HARMLESS:
            return io.load(path, trusted=sorted(unknown))
    except Exception as error:
        raise RequestError(f"{path}: cannot be read, or is damaged: {type(error).__name__}") from None
    names = ", ".join(sorted(unknown - _HARMLESS))
    raise RequestError(f"{path}: it needs classes that are not known to be harmless ({names})")
