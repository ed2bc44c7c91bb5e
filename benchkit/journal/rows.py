"""Outcomes of rows in Arrow streams beside the journal: ``<suite>/rows/<run>.arrows``, one batch a trial.

A record's ``outcomes``, such as ``quickstart/rows/20260101-120000-000000.arrows:832+2928``, names the file, below the
output folder, with the place and the length of its batch there, so that one is read without the others. What the test
parts of a run are (row numbers and true labels, which all methods share) is in ``<run>.parts.arrows`` beside it, each
part once. Both are streams that any reader of Arrow takes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import JournalError
from benchkit.trial.record import Record

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.trial.rows import RowOutcomes, TestPart


_PLACE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*/rows/[A-Za-z0-9][A-Za-z0-9._-]*\.arrows):(\d{1,18})\+(\d{1,10})")
_LONGEST = 2**28  # bytes of one trial's batch that are read


@cache
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


@cache
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


class OutcomesWriter:
    """Appends the outcomes of one run's rows below an output folder; of those behind ``limit`` bytes losses alone."""

    def __init__(self, out: Path, suite: str, run: str, limit: float = math.inf) -> None:
        self.name = f"{suite}/rows/{run}.arrows"
        self._trials, self._parts = out / self.name, out / f"{suite}/rows/{run}.parts.arrows"
        self._limit = limit
        self._written_parts: set[str] = set()
        self._bytes = 0

    def append(self, trial: str, outcomes: RowOutcomes) -> str:
        """Write a trial's outcomes, or nothing of them; return where they are, as its record tells it."""
        part = outcomes.part
        content = {
            "rows": part.rows,
            "target" if part.classes is None else "label": part.truth,
            "classes": json.dumps(part.classes, default=str),
            "names": json.dumps([part.class_names, part.features]),
            "groups": part.groups,
        }
        digest = hashlib.sha256()
        for value in (part.rows, part.truth, part.groups, content["classes"], content["names"]):
            digest.update(b"" if value is None else value.encode() if isinstance(value, str) else value.tobytes())
        key = digest.hexdigest()[:16]
        try:
            self._trials.parent.mkdir(parents=True, exist_ok=True)
            if key not in self._written_parts:
                _append(self._parts, parts_schema(), {"part": key, **content})
                self._written_parts.add(key)
            row = _trial_row(trial, key, outcomes, whole=self._bytes < self._limit)
            start, length = _append(self._trials, trials_schema(), row)
        except OSError as error:
            raise JournalError(f"{self._trials}: cannot write: {error.strerror or error}") from None
        self._bytes += length
        return f"{self.name}:{start}+{length}"


def _trial_row(trial: str, key: str, outcomes: RowOutcomes, whole: bool) -> dict[str, Any]:
    import numpy as np

    classifies = outcomes.part.classes is not None
    row: dict[str, Any] = {"trial": trial, "part": key, "wrong" if classifies else "squared": outcomes.loss}
    if not whole or outcomes.predictions is None:
        return row
    row["label" if classifies else "target"] = outcomes.predictions
    for name in ("decision", "probabilities"):
        answers = getattr(outcomes, name)
        if answers is not None:
            # Of two classes' probabilities the second's, where the first's are what is missing to 1.
            of_two = answers.shape[1:] == (2,) and np.array_equal(answers[:, 0], 1 - answers[:, 1])
            row[name] = answers[:, 1] if of_two else answers.ravel()
    if outcomes.model_classes is not None:
        row["classes"] = json.dumps(outcomes.model_classes, default=str)
    if outcomes.changed is not None:
        row["changed"] = np.packbits(outcomes.changed, axis=1).tobytes()
    return row


def _append(path: Path, schema: pa.Schema, row: Mapping[str, Any]) -> tuple[int, int]:
    """Append a batch of one row; where it begins, and how long it is."""
    import pyarrow as pa

    batch = pa.RecordBatch.from_pylist([dict(row)], schema=schema).serialize()
    with path.open("ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        header = b"" if size else schema.serialize().to_pybytes()
        waiting = memoryview(header + batch.to_pybytes())
        try:
            while waiting:
                waiting = waiting[file.write(waiting) :]
        except OSError:
            file.truncate(size)
            raise
    return size + len(header), batch.size


class Outcomes:
    """Outcomes of rows that lie below an output folder."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._parts: dict[Path, dict[str, TestPart]] = {}
        self._sizes: dict[Path, int] = {}

    def are_there(self, record: Record) -> bool:
        """Whether what a record says of its rows is there, in whole; true where it says nothing."""
        where = record.get("outcomes")
        if not where:
            return True
        try:
            path, start, length = self._place(where)
            if path not in self._sizes:
                self._sizes[path] = path.stat().st_size
            return self._sizes[path] >= start + length
        except (OSError, JournalError):
            return False

    def of(self, record: Record) -> RowOutcomes | None:
        """The outcomes of a record's trial, or None; a `JournalError` where they are damaged or gone."""
        return self._read(record, losses_only=False)

    def losses_of(self, record: Record) -> RowOutcomes | None:
        """The same for who needs the losses alone, which takes half the time."""
        return self._read(record, losses_only=True)

    def _read(self, record: Record, losses_only: bool) -> RowOutcomes | None:
        where = record.get("outcomes")
        if not where:
            return None
        import pyarrow as pa

        from benchkit.trial.rows import RowOutcomes

        path, start, length = self._place(where)
        with _damage_named(path):
            with path.open("rb", buffering=0) as file:
                content = os.pread(file.fileno(), length, start)
            batch = pa.ipc.read_record_batch(pa.ipc.read_message(content), trials_schema())
            batch.validate(full=True)
            row = {name: batch.column(name)[0] for name in ("trial", "part", "wrong", "squared")}
            if row["trial"].as_py() != record["trial"]:
                raise JournalError(f"{path}: rows of another trial than {record['trial']}")
            part = self._part(path, row["part"].as_py(), record)
            loss = _array(row["squared" if part.classes is None else "wrong"])
            assert loss is not None
            _require_fit(len(part.rows), loss)
            return RowOutcomes(part, loss) if losses_only else _whole(part, loss, batch)

    def _place(self, where: str) -> tuple[Path, int, int]:
        match = _PLACE.fullmatch(where)
        if match is None or int(match[3]) > _LONGEST:
            raise JournalError(f"{where!r} is no place of rows")
        return self.out / match[1], int(match[2]), int(match[3])

    def _part(self, trials: Path, key: str, record: Record) -> TestPart:
        held = self._parts.setdefault(trials, {})
        if key not in held:
            held |= _read_parts(trials.with_suffix(".parts.arrows"))
        part = held[key]
        if record.get("n_test") not in (None, len(part.rows)):
            raise JournalError(f"{trials}: {len(part.rows)} rows of a trial that was tested on {record['n_test']}")
        return part


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Say of a file that is gone or damaged which it is."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise JournalError(f"{path}: gone; run the suite again with --fresh to have its rows") from None
    except (OSError, EOFError, LookupError, ValueError, TypeError, AssertionError, pa.ArrowException) as error:
        raise JournalError(f"{path}: damaged: {type(error).__name__}") from None


def _whole(part: TestPart, loss: np.ndarray, batch: pa.RecordBatch) -> RowOutcomes:
    from benchkit.trial.rows import RowOutcomes

    row = {name: batch.column(name)[0] for name in batch.schema.names}
    n = len(part.rows)
    predictions = _array(row["target" if part.classes is None else "label"])
    _require_fit(n, predictions)
    _require_labels(predictions, part.classes)
    classes = row["classes"].as_py()
    return RowOutcomes(
        part=part,
        loss=loss,
        predictions=predictions,
        decision=_answers(row["decision"], n, False),
        probabilities=_answers(row["probabilities"], n, True),
        model_classes=None if classes is None else tuple(json.loads(classes)),
        changed=_bits(row["changed"].as_py(), n),
    )


def _read_parts(path: Path) -> dict[str, TestPart]:
    import pyarrow as pa

    from benchkit.trial.rows import TestPart

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
            labels = None if classes is None else tuple(classes)
            rows, truth = _array(row["rows"]), _array(row["target" if classes is None else "label"])
            assert rows is not None
            assert truth is not None
            groups = _array(row["groups"]) if "groups" in row else None  # an earlier version had no groups
            _require_fit(len(rows), truth, groups)
            _require_labels(truth, labels)
            names = json.loads(row["names"].as_py()) if "names" in row else ((), ())  # nor names
            class_names, features = (tuple(map(str, of_each)) for of_each in names)
            parts[row["part"].as_py()] = TestPart(rows, truth, labels, groups, class_names, features)
    except (pa.ArrowInvalid, EOFError, StopIteration):  # the torn end of a run that was killed
        pass
    return parts


def _require_fit(n: int, *arrays: np.ndarray | None) -> None:
    """Refuse what is not one value for each row, by a `ValueError`."""
    if any(array is not None and len(array) != n for array in arrays):
        raise ValueError("not one value for each row")


def _require_labels(codes: np.ndarray | None, classes: tuple[Any, ...] | None) -> None:
    """Refuse places among classes that there are not, by a `ValueError`."""
    if codes is not None and classes is not None and len(codes) and not 0 <= codes.min() <= codes.max() < len(classes):
        raise ValueError("a class that there is not")


def _array(scalar: Any) -> np.ndarray | None:
    values = scalar.values
    array: np.ndarray | None = None if values is None else values.to_numpy(zero_copy_only=False)
    return array


def _answers(scalar: Any, n: int, probabilities: bool) -> np.ndarray | None:
    import numpy as np

    answers = _array(scalar)
    if answers is None:
        return None
    if len(answers) == n:
        return np.column_stack([1 - answers, answers]) if probabilities else answers
    return answers.reshape(n, -1)


def _bits(packed: bytes | None, n: int) -> np.ndarray | None:
    """Rows of bits; their number is a multiple of eight, with none set behind the last column."""
    import numpy as np

    if packed is None:
        return None
    return np.unpackbits(np.frombuffer(packed, dtype=np.uint8).reshape(n, -1), axis=1).astype(bool)
