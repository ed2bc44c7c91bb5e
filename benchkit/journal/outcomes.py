"""Outcomes of rows, in Arrow streams beside the journal: ``<suite>/rows/<run>.arrows``, one batch for each trial.

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
import struct
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.journal.errors import JournalError
from benchkit.journal.record_format import Record
from benchkit.regular_file import open_regular, read_regular

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.trial.outcomes import RowOutcomes, TestPart

FOLDER = "rows"
_PLACE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*/rows/[A-Za-z0-9][A-Za-z0-9._-]*\.arrows):(\d{1,18})\+(\d{1,10})")
_LONGEST = 2**28  # bytes of one trial's batch, or of a run's parts, that are read


def _trials_schema() -> pa.Schema:
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


def _parts_schema() -> pa.Schema:
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
    """Appends the outcomes of one run's rows.

    Parameters
    ----------
    out : Path
        Output folder.
    suite, run : str
    limit : float, default=inf
        Bytes after which losses alone are kept.
    """

    def __init__(self, out: Path, suite: str, run: str, limit: float = math.inf) -> None:
        self.name = f"{suite}/{FOLDER}/{run}.arrows"
        self._trials, self._parts = out / self.name, out / f"{suite}/{FOLDER}/{run}.parts.arrows"
        self._limit = limit
        self._known: set[str] = set()
        self._written = 0

    def append(self, trial: str, outcomes: RowOutcomes) -> str:
        """Write a trial's outcomes; return where they are, as its record tells it.

        Raises
        ------
        JournalError
            They cannot be written; nothing of them is left then.
        """
        part = outcomes.part
        key = _key(part)
        try:
            self._trials.parent.mkdir(parents=True, exist_ok=True)
            if key not in self._known:
                _append(self._parts, _parts_schema(), _part_row(key, part))
                self._known.add(key)
            row = _trial_row(trial, key, outcomes, whole=self._written < self._limit)
            start, length = _append(self._trials, _trials_schema(), row)
        except OSError as error:
            raise JournalError(f"{self._trials}: cannot write: {error.strerror or error}") from None
        self._written += length
        return f"{self.name}:{start}+{length}"

    def forget(self) -> None:
        """Start anew, where the files were deleted."""
        self._known.clear()
        self._written = 0


def _append(path: Path, schema: pa.Schema, row: Mapping[str, Any]) -> tuple[int, int]:
    """Append a batch of one row; where it begins, and how long it is."""
    import pyarrow as pa

    header = schema.serialize()
    batch = pa.RecordBatch.from_pylist([dict(row)], schema=schema).serialize()
    with path.open("ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            waiting = memoryview(batch if size else pa.py_buffer(header.to_pybytes() + batch.to_pybytes()))
            while waiting:
                waiting = waiting[file.write(waiting) :]
        except OSError:
            file.truncate(size)
            raise
    return (size or header.size), batch.size


def _key(part: TestPart) -> str:
    digest = hashlib.sha256(part.rows.tobytes())
    digest.update(part.truth.tobytes())
    if part.groups is not None:
        digest.update(part.groups.tobytes())
    digest.update(_labels(part.classes).encode())
    digest.update(_names(part).encode())
    return digest.hexdigest()[:16]


def _labels(classes: tuple[Any, ...] | None) -> str:
    return json.dumps(classes, default=str)


def _names(part: TestPart) -> str:
    return json.dumps([part.class_names, part.features])


def _part_row(key: str, part: TestPart) -> dict[str, Any]:
    column = "target" if part.classes is None else "label"
    own = {"part": key, "rows": part.rows, column: part.truth, "classes": _labels(part.classes), "names": _names(part)}
    return own if part.groups is None else {**own, "groups": part.groups}


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
            row[name] = _without_first(answers).ravel()
    if outcomes.model_classes is not None:
        row["classes"] = _labels(outcomes.model_classes)
    if outcomes.changed is not None:
        row["changed"] = np.packbits(outcomes.changed, axis=1).tobytes()
    return row


def _without_first(answers: np.ndarray) -> np.ndarray:
    """Of two classes' probabilities the second's, where the first's are what is missing to 1."""
    import numpy as np

    if answers.ndim == 2 and answers.shape[1] == 2 and np.array_equal(answers[:, 0], 1 - answers[:, 1]):
        return answers[:, 1]
    return answers


class Outcomes:
    """Outcomes of rows that lie below an output folder.

    Parameters
    ----------
    out : Path
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self._parts: dict[Path, dict[str, TestPart]] = {}
        self._sizes: dict[Path, int] = {}

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
        try:
            with open_regular(path) as file:
                file.seek(start)
                content = file.read(length)
            message = pa.ipc.read_message(pa.py_buffer(content))
            _require_plain(message.metadata.to_pybytes())
            batch = pa.ipc.read_record_batch(message, self._schema)
            batch.validate(full=True)
            row = {name: batch.column(name)[0] for name in batch.schema.names}
            part = self._part(path, row["part"].as_py())
            if record.get("n_test") not in (None, len(part.rows)):
                raise JournalError(f"{path}: {len(part.rows)} rows of a trial that was tested on {record['n_test']}")
            return _read(row, part)
        except FileNotFoundError:
            raise JournalError(f"{path}: gone; run the suite again with --fresh to have its rows") from None
        except (OSError, LookupError, ValueError, TypeError, AssertionError, pa.ArrowException) as error:
            raise JournalError(f"{path}: damaged: {type(error).__name__}") from None

    @cached_property
    def _schema(self) -> pa.Schema:
        return _trials_schema()

    def _place(self, where: str) -> tuple[Path, int, int]:
        found = _PLACE.fullmatch(where)
        if found is None or int(found[3]) > _LONGEST:
            raise JournalError(f"{where!r} is no place of rows")
        return self.out / found[1], int(found[2]), int(found[3])

    def _part(self, trials: Path, key: str) -> TestPart:
        held = self._parts.setdefault(trials, {})
        if key not in held:
            held |= _read_parts(trials.with_suffix(".parts.arrows"))
        return held[key]


def _read_parts(path: Path) -> dict[str, TestPart]:
    import pyarrow as pa

    from benchkit.trial.outcomes import TestPart

    parts = {}
    content = read_regular(path, _LONGEST)
    try:
        messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(content))
        schema = pa.ipc.read_schema(messages.read_next_message())
        for message in messages:
            _require_plain(message.metadata.to_pybytes())
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
    except pa.ArrowInvalid:  # the torn end of a run that was killed
        pass
    return parts


def _require_plain(metadata: bytes) -> None:
    """Refuse a batch that is compressed, as none is that is written here: it may become any size.

    The metadata of a message is a FlatBuffer (Message.fbs of Arrow): the table of the message has a batch as its third
    field, whose fourth field says how it is compressed.

    Raises
    ------
    ValueError
    """

    def field(table: int, number: int) -> int:
        """Where a field of a table is; 0 where it has none."""
        (back,) = struct.unpack_from("<i", metadata, table)
        (size,) = struct.unpack_from("<H", metadata, table - back)
        place = 4 + 2 * number
        return table + within if place < size and (within := _short(metadata, table - back + place)) else 0

    def target(place: int) -> int:
        return place + int(struct.unpack_from("<I", metadata, place)[0])

    try:
        batch = field(target(0), 2)
        compressed = not batch or field(target(batch), 3)
    except struct.error:
        compressed = True
    if compressed:
        raise ValueError("a batch that is compressed, or none")


def _short(metadata: bytes, place: int) -> int:
    return int(struct.unpack_from("<H", metadata, place)[0])


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
