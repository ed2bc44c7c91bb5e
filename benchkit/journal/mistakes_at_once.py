"""Which rows each trial of a run got wrong, read from the run's file at once: a fifth of the time of one by one."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from benchkit.journal.outcomes_format import require_plain, trials_schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


class MistakesAtOnce:
    """Which rows each trial of a file got wrong.

    Trials of a regression are left out, and what is damaged, with all that comes behind it: who reads these one by one
    is told what is the matter.

    Parameters
    ----------
    path : Path
        Of a stream of trials.
    most : int
        Rows that are kept; the trials from there on are left out.

    Raises
    ------
    OSError
    """

    def __init__(self, path: Path, most: int) -> None:
        import numpy as np

        schema = trials_schema()
        name, part, wrong = (schema.get_field_index(field) for field in ("trial", "part", "wrong"))
        self._starts, self._ends, self._trials = array("q"), array("q", [0]), array("q")
        self._parts: list[str] = []
        kept = [np.empty(0, dtype=bool)]
        with path.open("rb") as file:
            for start, trial in _batches(file, schema):
                rows = trial.column(wrong)[0].values
                if rows is None:
                    continue
                if rows.null_count or self._ends[-1] + len(rows) > most:
                    break
                self._starts.append(start)
                self._ends.append(self._ends[-1] + len(rows))
                self._trials.append(hash(trial.column(name)[0].as_py()))
                self._parts.append(trial.column(part)[0].as_py())
                kept.append(rows.to_numpy(zero_copy_only=False))
        self._wrong = np.concatenate(kept)

    def of(self, start: int, trial: str) -> tuple[str, np.ndarray] | None:
        """The test part's name, and which of its rows are wrong, of the trial whose batch starts there."""
        at = bisect_left(self._starts, start)
        if at == len(self._starts) or self._starts[at] != start or self._trials[at] != hash(trial):
            return None
        return self._parts[at], self._wrong[self._ends[at] : self._ends[at + 1]]


def _batches(file: IO[bytes], schema: pa.Schema) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Where each batch of one trial starts, up to what is no such batch."""
    import pyarrow as pa

    try:
        messages = pa.ipc.MessageReader.open_stream(file)
        if pa.ipc.read_schema(messages.read_next_message()) != schema:
            return
        while True:
            start = file.tell()
            message = messages.read_next_message()
            require_plain(message.metadata.to_pybytes())
            batch = pa.ipc.read_record_batch(message, schema)
            batch.validate(full=True)
            if len(batch) != 1:
                return
            yield start, batch
    except (StopIteration, EOFError, OSError, ValueError, pa.ArrowException, MemoryError):
        return  # want of memory, too, is damage: a length that is none
