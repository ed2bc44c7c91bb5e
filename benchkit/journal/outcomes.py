"""Outcomes of rows in Arrow streams beside the journal: ``<suite>/rows/<run>.arrows``, one batch a trial.

A record's ``outcomes``, such as ``quickstart/rows/20260101-120000-000000.arrows:832+2928``, names the file, below the
output folder, with the place and the length of its batch there, so that one is read without the others. What the test
parts of a run are (row numbers and true labels, which all methods share) is in ``<run>.parts.arrows`` beside it, each
part once. Both are streams that any reader of Arrow takes.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from benchkit.errors import JournalError
from benchkit.journal.record import Record

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.trial.outcomes import RowOutcomes, TestPart


FOLDER = "rows"


def trials_schema() -> pa.Schema:
    """Columns of a trial's outcomes: its name, its test part, and a list of what became of each row."""
    import pyarrow as pa

    return pa.schema(
        {
            "trial": pa.string(),
            "part": pa.string(),
            "wrong": pa.list_(pa.bool_()),
            "squared": pa.list_(pa.float32()),
            "label": pa.list_(pa.int32()),
            "target": pa.list_(pa.float64()),
            "decision": pa.list_(pa.float64()),
            "probabilities": pa.list_(pa.float64()),
            "classes": pa.string(),  # of the columns of the two before it, as JSON
            "changed": pa.binary(),  # bits, row after row
        }
    )


def parts_schema() -> pa.Schema:
    """Columns of a test part: its name, and lists of the rows' numbers and truths."""
    import pyarrow as pa

    return pa.schema(
        {
            "part": pa.string(),
            "rows": pa.list_(pa.int32()),
            "label": pa.list_(pa.int32()),
            "target": pa.list_(pa.float64()),
            "classes": pa.string(),
            "groups": pa.list_(pa.int32()),  # where whole groups are drawn
            "names": pa.string(),  # of classes and of the columns' features, as JSON
        }
    )


_PLACE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*/rows/[A-Za-z0-9][A-Za-z0-9._-]*\.arrows):(\d{1,18})\+(\d{1,10})")
_LONGEST = 2**28  # bytes of one trial's batch, or of a run's parts, that are read
_ONE_BY_ONE = 300  # trials of a file, before all of them are read at once
_MOST_ROWS = 2**26  # of all trials of a file that are held at once


class Outcomes:
    """Outcomes of rows that lie below an output folder.

    Parameters
    ----------
    out : Path
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self._paths: dict[str, Path] = {}
        self._parts: dict[Path, dict[str, TestPart]] = {}
        self._sizes: dict[Path, int] = {}
        self._asked: Counter[Path] = Counter()
        self._mistakes: dict[Path, MistakesAtOnce] = {}

    def are_there(self, record: Record) -> bool:
        """Whether what a record says of its rows is there, in whole; true where it says nothing, or all are gone."""
        where = record.get("outcomes")
        if not where:
            return True
        try:
            path, start, length = self._place(where)
            if path not in self._sizes:
                self._sizes[path] = path.stat().st_size
            return self._sizes[path] >= start + length
        except FileNotFoundError:
            return True  # deleted as a whole, by somebody who needs them no more
        except (OSError, JournalError):
            return False

    def of(self, record: Record) -> RowOutcomes | None:
        """The outcomes of a record's trial; None where none were kept.

        Raises
        ------
        JournalError
            They are damaged, or gone.
        """
        where = record.get("outcomes")
        if not where:
            return None
        import pyarrow as pa

        path, start, length = self._place(where)
        with _damage_told(path):
            with path.open("rb") as file:
                file.seek(start)
                content = file.read(length)
            message = pa.ipc.read_message(pa.py_buffer(content))
            batch = pa.ipc.read_record_batch(message, self._schema)
            batch.validate(full=True)
            row = {name: column[0] for name, column in zip(batch.schema.names, batch.columns, strict=True)}
            if row["trial"].as_py() != record["trial"]:
                raise JournalError(f"{path}: rows of another trial than {record['trial']}")
            return _read(row, self._part(path, row["part"].as_py(), record))

    def losses_of(self, record: Record) -> RowOutcomes | None:
        """The same for who needs the losses alone; where many are asked for, the rest may be left out.

        Raises
        ------
        JournalError
            They are damaged, or gone.
        """
        where = record.get("outcomes")
        if not where:
            return None
        from benchkit.trial.outcomes import RowOutcomes

        path, start, _ = self._place(where)
        self._asked[path] += 1
        if self._asked[path] <= _ONE_BY_ONE:
            return self.of(record)
        with _damage_told(path):
            if path not in self._mistakes:
                self._mistakes[path] = MistakesAtOnce(path, _MOST_ROWS)
            found = self._mistakes[path].of(start, record["trial"])
            if found is None:
                return self.of(record)
            part = self._part(path, found[0], record)
            _require_fit(len(part.rows), found[1])
            return RowOutcomes(part, found[1])

    @cached_property
    def _schema(self) -> pa.Schema:
        return trials_schema()

    def _place(self, where: str) -> tuple[Path, int, int]:
        found = _PLACE.fullmatch(where)
        if found is None or int(found[3]) > _LONGEST:
            raise JournalError(f"{where!r} is no place of rows")
        name, start, length = found.groups()
        if name not in self._paths:
            self._paths[name] = self.out / name
        return self._paths[name], int(start), int(length)

    def _part(self, trials: Path, key: str, record: Record) -> TestPart:
        held = self._parts.setdefault(trials, {})
        if key not in held:
            held |= _read_parts(trials.with_suffix(".parts.arrows"))
        part = held[key]
        if record.get("n_test") not in (None, len(part.rows)):
            raise JournalError(f"{trials}: {len(part.rows)} rows of a trial that was tested on {record['n_test']}")
        return part


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Say of a file that is gone or damaged which it is."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise JournalError(f"{path}: gone; run the suite again with --fresh to have its rows") from None
    except (OSError, EOFError, LookupError, ValueError, TypeError, AssertionError, pa.ArrowException) as error:
        raise JournalError(f"{path}: damaged: {type(error).__name__}") from None


def _read_parts(path: Path) -> dict[str, TestPart]:
    import pyarrow as pa

    from benchkit.trial.outcomes import TestPart

    parts = {}
    content = path.read_bytes()
    try:
        messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(content))
        schema = pa.ipc.read_schema(messages.read_next_message())
        for message in messages:
            batch = pa.ipc.read_record_batch(message, schema)
            batch.validate(full=True)
            row = {name: batch.column(name)[0] for name in batch.schema.names}
            classes = json.loads(row["classes"].as_py())
            truth = _array(row["target" if classes is None else "label"])
            rows = _array(row["rows"])
            assert truth is not None
            assert rows is not None
            groups = _array(row["groups"]) if "groups" in row else None  # an earlier version had no groups
            labels = None if classes is None else tuple(classes)
            _require_fit(len(rows), truth, groups)
            _require_labels(truth, labels)
            told = json.loads(row["names"].as_py()) if "names" in row else ((), ())  # nor names
            named, features = (tuple(map(str, names)) for names in told)
            parts[row["part"].as_py()] = TestPart(rows, truth, labels, groups, named, features)
    except (pa.ArrowInvalid, EOFError, StopIteration):  # the torn end of a run that was killed
        pass
    return parts


def _read(row: Mapping[str, Any], part: TestPart) -> RowOutcomes:
    from benchkit.trial.outcomes import RowOutcomes

    n, classifies = len(part.rows), part.classes is not None
    loss, predictions = (_array(row[name]) for name in (("wrong", "label") if classifies else ("squared", "target")))
    assert loss is not None
    _require_fit(n, loss, predictions)
    _require_labels(predictions, part.classes)
    known = row["classes"].as_py()
    return RowOutcomes(
        part=part,
        loss=loss,
        predictions=predictions,
        decision=_answers(row["decision"], n, False),
        probabilities=_answers(row["probabilities"], n, True),
        model_classes=None if known is None else tuple(json.loads(known)),
        changed=_bits(row["changed"].as_py(), n),
    )


def _require_fit(n: int, *arrays: np.ndarray | None) -> None:
    """Refuse what is not one value for each row.

    Raises
    ------
    ValueError
    """
    if any(array is not None and len(array) != n for array in arrays):
        raise ValueError("not one value for each row")


def _require_labels(codes: np.ndarray | None, classes: tuple[Any, ...] | None) -> None:
    """Refuse places among classes that there are not.

    Raises
    ------
    ValueError
    """
    if codes is not None and classes is not None and len(codes) and not 0 <= codes.min() <= codes.max() < len(classes):
        raise ValueError("a class that there is not")


def _array(scalar: Any) -> np.ndarray | None:
    values = scalar.values
    array: np.ndarray | None = None if values is None else values.to_numpy(zero_copy_only=False)
    return array


def _answers(scalar: Any, n: int, probabilities: bool) -> np.ndarray | None:
    import numpy as np

    kept = _array(scalar)
    if kept is None:
        return None
    if len(kept) == n:
        return np.column_stack([1 - kept, kept]) if probabilities else kept
    return kept.reshape(n, -1)


def _bits(packed: bytes | None, n: int) -> np.ndarray | None:
    """Rows of bits; their number is a multiple of eight, with none set behind the last column."""
    import numpy as np

    if packed is None:
        return None
    return np.unpackbits(np.frombuffer(packed, dtype=np.uint8).reshape(n, -1), axis=1).astype(bool)


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
            batch = pa.ipc.read_record_batch(message, schema)
            batch.validate(full=True)
            if len(batch) != 1:
                return
            yield start, batch
    except (StopIteration, EOFError, OSError, ValueError, pa.ArrowException, MemoryError):
        return  # want of memory, too, is damage: a length that is none
