"""Reads outcomes of rows beside the journal, which lie there as `benchkit.journal.outcomes_format` tells."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.journal.errors import JournalError
from benchkit.journal.mistakes_at_once import MistakesAtOnce
from benchkit.journal.outcomes_format import require_plain, trials_schema
from benchkit.journal.record_format import Record

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.trial.outcomes import RowOutcomes, TestPart

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
            require_plain(message.metadata.to_pybytes())
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
            require_plain(message.metadata.to_pybytes())
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
