"""The store of a suite: an append-only file of records, the source of truth."""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from benchkit.errors import JournalError
from benchkit.journal.models import model_path
from benchkit.journal.record import DamagedLineError, parse_record
from benchkit.journal.rows import Outcomes
from benchkit.trial.record import Record

RUN_ID = "%Y%m%d-%H%M%S-%f"

_MOST_NAMED = 20  # damaged lines; the rest are counted

LOCK = ".lock"
"""Name of the file in a suite's folder that the process holds which writes to the journal."""

# What locking answers where there are none, as on NFS without its lock daemon.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

# Others take the lock for a moment, to see whether anybody holds it.
_SECONDS_TO_WAIT = 0.2

# How a row begins that this package wrote: its id can be told without parsing it.
_BEFORE_ID = b'{"trial": "'
_ID_ENDS = len(_BEFORE_ID) + 16
_LONGEST = 8 * 2**20

_Key = TypeVar("_Key", bound=Hashable)


def run_name(folder: Path, now: datetime) -> str:
    """The name of a new run in a suite's or collection's folder, which need not be there.

    It sorts behind every other: the clock may have been set back since.
    """
    names = sorted(path.name for path in folder.glob("[0-9]*-[0-9]*-[0-9]*") if path.is_dir())
    if names:
        with suppress(ValueError, OverflowError):  # a folder that somebody named
            now = max(now, datetime.strptime(names[-1], RUN_ID) + timedelta(microseconds=1))
    return now.strftime(RUN_ID)


class Store:
    """``<out>/<suite>/``: the journal of a suite's finished trials, the cache of its fits, and its runs.

    ``damaged`` names the lines of the journal that were passed over when it was last read, and why.
    """

    def __init__(self, out: Path, suite: str) -> None:
        self.folder = out / suite
        self.journal = self.folder / "trials.jsonl"
        self.fits = self.folder / "fits"
        self.models = self.folder / "models"
        self.damaged: list[str] = []
        self._file: Any = None
        self._torn = False  # whether a half-written line ends the journal
        self._lock = FileLock(self.folder / LOCK, timeout=_SECONDS_TO_WAIT)

    def open(self) -> None:
        """Make the folder, take it for this process, and open the journal for appending."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._open_journal()
            with self.journal.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - 1))
                self._torn = size > 0 and file.read(1) != b"\n"
        except Timeout:
            raise JournalError(
                f"{self.folder}: another benchkit run is writing here; wait for it or use --out"
            ) from None
        except OSError as error:
            self.close()
            if error.errno in _NO_LOCKS:
                raise JournalError(
                    f"{self.folder}: its file system has no locks ({error.strerror}), without which two runs would "
                    "spoil each other's journal: use --out with a folder on another disk"
                ) from None
            raise JournalError(f"{self.folder}: cannot write here: {error.strerror or error}") from None

    def _open_journal(self) -> None:
        # Unbuffered: what a full disk did not take must not come later, behind what was written again.
        self._file = self.journal.open("ab", buffering=0)

    def close(self) -> None:
        """Close the journal and let others write."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._lock.release()

    def append(self, *records: Mapping[str, Any]) -> None:
        """Write records, at once: all of them or, where that fails, none."""
        assert self._file is not None, "the store is not open"
        state = os.fstat(self._file.fileno())
        if state.st_nlink == 0 or not self.journal.exists():
            raise JournalError(f"{self.folder}: deleted while the run was writing there")
        text = "".join(_line(record) for record in records)
        # What a killed process, or a full disk, left half-written stays a line by itself, which readers pass over.
        waiting = memoryview((("\n" if self._torn else "") + text).encode())
        try:
            while waiting:
                waiting = waiting[self._file.write(waiting) :]
            self._torn = False
        except OSError as error:
            try:
                self._file.truncate(state.st_size)
            except OSError:
                self._torn = True
            raise JournalError(f"{self.journal}: cannot write: {error.strerror or error}") from None

    def rewrite(self, records: Iterable[Record]) -> None:
        """Replace the journal of an open store by these records, whole or not at all."""
        partial = self.journal.with_suffix(".partial")
        try:
            with partial.open("w", encoding="utf-8") as file:
                file.writelines(_line(record) for record in records)
                file.flush()
                os.fsync(file.fileno())
            self._file.close()
            partial.replace(self.journal)
            self._open_journal()
            self._torn = False
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise JournalError(f"{self.journal}: cannot write: {error.strerror or error}") from None

    def rows(self) -> list[Record]:
        """Every record, in the order in which they were written.

        Lines that are no records are passed over, and named in ``damaged``: a torn line is a trial that was not done.
        """
        self.damaged = []
        records, reasons = [], list[str]()
        try:
            # An editor may have left a byte order mark: it costs no row.
            with self.journal.open(encoding="utf-8-sig", errors="replace", newline="\n") as lines:
                for number, line in enumerate(lines, start=1):
                    try:
                        records.append(parse_record(line.rstrip("\r\n")))
                    except DamagedLineError as error:
                        if line.strip():
                            reasons.append(f"a line was left out: {self.journal.name}:{number}: {error}")
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise JournalError(f"{self.journal}: cannot read: {error.strerror or error}") from None
        self.damaged = reasons[:_MOST_NAMED]
        if len(reasons) > _MOST_NAMED:
            self.damaged.append(f"{len(reasons) - _MOST_NAMED} more lines were left out of {self.journal.name}")
        return records

    def read(self) -> dict[str, Record]:
        """The record of each trial that counts, whatever run it is of: the latest that ended ok, else the latest."""
        return best((row["trial"], row) for row in self.rows())

    def keeps_model(self, trial_id: str) -> bool:
        """Whether the fitted estimator of a trial was kept."""
        return model_path(self.models, trial_id) is not None

    def runs(self) -> list[Path]:
        """Folders of the runs, oldest first."""
        return sorted(path.parent for path in self.folder.glob("*/manifest.json"))

    def new_run(self, now: datetime) -> Path:
        """A folder for a new run, which sorts behind every other."""
        folder = self.folder / run_name(self.folder, now)
        folder.mkdir(parents=True)
        return folder


def _line(record: Mapping[str, Any]) -> str:
    try:
        return json.dumps(record, default=str, allow_nan=False) + "\n"
    except ValueError:  # rarely
        return json.dumps(_finite(record), default=str) + "\n"


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


def rows_of_other_suites(store: Store, trials: Collection[str]) -> list[Record]:
    """Rows of these trials that ended ok, in the journals of the output folder but that of the suite that asks.

    An id says all that decides the outcome, whatever suite it was asked by; but what was kept of rows must be there.
    """
    outcomes = Outcomes(store.folder.parent)
    rows: list[Record] = []
    for journal in sorted(store.folder.parent.glob(f"*/{store.journal.name}")) if trials else ():
        if journal.parent.name == store.folder.name:
            continue
        with suppress(OSError), journal.open("rb") as lines:  # one that cannot be read serves nobody
            for line in iter(lambda: lines.readline(_LONGEST), b""):
                name = line[len(_BEFORE_ID) : _ID_ENDS].decode("ascii", errors="replace")
                if line.startswith(_BEFORE_ID) and name in trials:
                    with suppress(DamagedLineError):  # its own suite tells of it
                        rows.append(parse_record(line.decode("utf-8", errors="replace")))
    return [row for row in rows if row["status"] == "ok" and outcomes.are_there(row)]


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
