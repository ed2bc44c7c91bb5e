"""Writing a run's records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchkit.journal import JournalError, Record, RowsLostError, Store
from benchkit.journal.outcomes_writer import OutcomesWriter
from benchkit.journal.record import Compactor


class Journaling:
    """Writes the records of one run, and holds them in little memory.

    Parameters
    ----------
    store : Store
        Open.
    folder : Path
        Of the run.
    outcomes : OutcomesWriter
        Takes the outcomes of rows.
    """

    def __init__(self, store: Store, folder: Path, outcomes: OutcomesWriter) -> None:
        self.store, self.folder = store, folder
        self.records: dict[str, Record] = {}
        self._outcomes = outcomes
        self._compactor = Compactor()

    def write(self, row: Mapping[str, Any], trace: str = "") -> None:
        """Write a record; its ``outcomes`` may be a `RowOutcomes`, or where these are already.

        Parameters
        ----------
        row : mapping
        trace : str, default=""
            The traceback of a trial that failed.

        Raises
        ------
        RowsLostError
            It cannot be written: a full disk, a folder that was deleted.
        """
        row = dict(row)
        try:
            if row.get("outcomes") is not None and not isinstance(row["outcomes"], str):
                row["outcomes"] = self._outcomes.append(row["trial"], row["outcomes"])
            self.store.append(row)
            if trace:
                self._write_traceback(row, trace)
        except JournalError as error:
            raise RowsLostError(f"{error}: mend that, and the same command runs what is missing") from None
        self.records[row["trial"]] = self._compactor.compact(row)

    def _write_traceback(self, row: Mapping[str, Any], trace: str) -> None:
        folder = self.folder / "tracebacks"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['trial']}.txt").write_text(trace, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise JournalError(f"{folder}: cannot write: {error.strerror or error}") from None
