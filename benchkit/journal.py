"""The journal: an append-only file of records, the source of truth, and the manifests of runs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic_core import from_json

Record = dict[str, Any]


# Without these a line is no record that a report could use.
_NEEDED = {"trial", "status", "cell", "dataset", "algorithm", "repetition", "metrics"}


class JournalError(Exception):
    """The output folder or the journal cannot be used; the message is one line for the user."""


class Store:
    """``<out>/<suite>/``: the journal of a suite's finished trials, the memo of its fits, and its runs.

    Parameters
    ----------
    out : Path
        Output folder.
    suite : str
    """

    def __init__(self, out: Path, suite: str) -> None:
        self.folder = out / suite
        self.journal = self.folder / "trials.jsonl"
        self.memo = self.folder / "memo"
        self.models = self.folder / "models"
        self._file: Any = None
        self._lock = FileLock(self.folder / ".lock", timeout=0)

    def open(self) -> None:
        """Make the folder, take it for this process, and open the journal for appending."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._file = self.journal.open("a", encoding="utf-8")
            if _torn(self.journal):
                self._file.write("\n")  # what a killed process left half-written stays a line of its own
                self._file.flush()
        except Timeout:
            raise JournalError(
                f"{self.folder}: another benchkit run is writing here; wait for it or use --out"
            ) from None
        except OSError as error:
            self.close()
            raise JournalError(f"{self.folder}: cannot write here: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the journal and let others write."""
        if self._file is not None:
            with suppress(OSError):  # a row that a full disk did not take; `append` has said so
                self._file.close()
            self._file = None
        self._lock.release()

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one record, at once."""
        assert self._file is not None, "the store is not open"
        try:
            self._file.write(_line(record))
            self._file.flush()
        except OSError as error:
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
            self._file = self.journal.open("a", encoding="utf-8")
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise JournalError(f"{self.journal}: cannot write: {error.strerror or error}") from None

    def read(self) -> dict[str, Record]:
        """Latest record of each trial id.

        Lines that are no records are passed over: a torn line is a trial that was not done.
        """
        if not self.journal.exists():
            return {}
        try:
            with self.journal.open(encoding="utf-8", errors="replace") as lines:
                return {record["trial"]: record for record in _records(lines)}
        except OSError as error:
            raise JournalError(f"{self.journal}: cannot read: {error.strerror or error}") from None

    def model(self, trial_id: str) -> Path:
        """Where the fitted estimator of a trial is, if it was kept."""
        return self.models / f"{trial_id}.joblib"

    def runs(self) -> list[Path]:
        """Folders of the runs, oldest first."""
        return sorted(path.parent for path in self.folder.glob("*/manifest.json"))


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(_finite(record), default=str) + "\n"


def _torn(path: Path) -> bool:
    """Whether a file does not end with a newline."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _records(lines: Iterable[str]) -> Iterator[Record]:
    for line in lines:
        try:
            record = from_json(line)  # shares equal texts among records: half the memory of json's
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("trial"), str) and record.keys() >= _NEEDED:
            yield record


def _finite(value: Any) -> Any:
    """Plain JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a run's manifest whole."""
    path = folder / "manifest.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(manifest, indent=1, default=str) + "\n", encoding="utf-8")
    partial.replace(path)


def read_run(reference: str | Path) -> tuple[dict[str, Any], list[Record], Path]:
    """The manifest, the records in its order, and the folder of a run.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's folder, which stands for its newest run.
    """
    folder = Path(reference)
    if not (folder / "manifest.json").exists():
        manifests = sorted(folder.glob("*/manifest.json"))
        if not manifests:
            raise JournalError(f"{reference}: no run here; name runs/SUITE or one run's folder")
        folder = manifests[-1].parent
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        planned = [str(trial) for trial in manifest["trials"]]
        missing = {"suite", "title", "suite_as_run"} - set(manifest)
        if missing or not isinstance(manifest["suite_as_run"], dict):
            raise ValueError(f"it lacks {', '.join(sorted(missing)) or 'the suite'}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{folder / 'manifest.json'}: not a manifest: {error}") from None
    found = Store(folder.parent.parent, folder.parent.name).read()
    return manifest, [found[trial] for trial in planned if trial in found], folder


def read_model(folder: Path, trial: str) -> Any:
    """The fitted estimator of a trial.

    Parameters
    ----------
    folder : Path
        ``runs/<suite>/models``.
    trial : str
        Its id, or the beginning of it.
    """
    import joblib

    found = sorted(folder.glob(f"{trial}*.joblib"))
    if len(found) != 1:
        some = "no model" if not found else "more than one model"
        raise JournalError(f"{folder}: {some} of a trial {trial!r}; 'benchkit run --keep-models' stores them")
    return joblib.load(found[0])
