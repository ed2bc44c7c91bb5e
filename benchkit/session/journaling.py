"""Writing a run's records: what cannot be written now is kept, and written when that is possible again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchkit.journal import FolderGoneError, JournalError, Record, RowsLostError, Store
from benchkit.journal.compact_record import Compactor
from benchkit.journal.outcomes_writer import OutcomesWriter
from benchkit.session.progress import Progress


class Journaling:
    """Writes the records of one run.

    Parameters
    ----------
    store : Store
        Open.
    folder : Path
        Of the run.
    write_provenance : callable
        Writes the run's manifest anew, where the output folder was deleted.
    watch : Progress
        Told at once what cannot be written.
    outcomes : OutcomesWriter
        Takes the outcomes of rows.
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        write_provenance: Callable[[], None],
        watch: Progress,
        outcomes: OutcomesWriter,
    ) -> None:
        self.store, self.folder, self.watch = store, folder, watch
        self.records: dict[str, Record] = {}
        self._outcomes = outcomes
        self._compactor = Compactor()
        self._write_provenance = write_provenance
        self._waiting: deque[dict[str, Any]] = deque()
        self._gone = False  # whether the output folder was deleted and is not made anew yet
        self._told: set[str] = set()

    def write(self, row: Mapping[str, Any]) -> None:
        """Write a record, and those that wait; its ``outcomes`` may be a `RowOutcomes`, or where these are already."""
        self._hold(row)
        self._waiting.append(dict(row))
        try:
            self._write_waiting()
        except JournalError as error:
            self._tell(f"{error}; records are kept in memory, and written when that is possible again")

    def write_traceback(self, row: Mapping[str, Any], trace: str) -> None:
        """Write the traceback of a trial that failed."""
        folder = self.folder / "tracebacks"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['trial']}.txt").write_text(trace, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            self._tell(f"{folder}: cannot write: {error.strerror or error}; the traceback is left out")

    def end(self) -> None:
        """Write what waits.

        Raises
        ------
        RowsLostError
            That is still impossible.
        """
        try:
            self._write_waiting()
        except JournalError as error:
            lost = f"{len(self._waiting)} of the run's {len(self.records)} records could not be written"
            raise RowsLostError(f"{error}; {lost}: mend that, and the same command runs what is missing") from None

    def _write_waiting(self) -> None:
        waited = len(self._waiting)
        while self._waiting:
            try:
                if self._gone:
                    self._make_anew()
                    break
                row = self._waiting[0]
                if not _is_written(row):
                    row["outcomes"] = self._outcomes.append(row["trial"], row["outcomes"])
                    self._hold(row)
                self.store.append(row)
                self._waiting.popleft()
            except FolderGoneError as error:
                self._gone = True
                self.watch.warn(f"{error}; made anew with the {len(self.records)} records of this run")
        if self._told and waited:
            self.watch.warn(f"{self.store.journal}: written again, with the records that waited")
            self._told.clear()

    def _hold(self, row: Mapping[str, Any]) -> None:
        """Hold a record in little memory: without its rows, which are not known to be written yet."""
        written = row if _is_written(row) else {**row, "outcomes": None}
        self.records[row["trial"]] = self._compactor.compact(written)

    def _make_anew(self) -> None:
        """Make the output folder anew with all that this run has; outcomes of rows are gone."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write_provenance()
        except OSError as error:
            raise JournalError(f"{self.store.folder}: cannot write: {error.strerror or error}") from None
        self._outcomes.forget()
        self.records |= {name: self._compactor.compact({**row, "outcomes": None}) for name, row in self.records.items()}
        self.store.reopen(self.records.values())
        self._waiting.clear()
        self._gone = False

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            self.watch.warn(message)


def _is_written(row: Mapping[str, Any]) -> bool:
    """Whether the outcomes of a record's rows are where it says, or none are."""
    return row.get("outcomes") is None or isinstance(row["outcomes"], str)
