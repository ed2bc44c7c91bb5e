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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import JournalError, one_line, writing
from benchkit.plugin.declarations import Metric, MetricContext, NotApplicableError
from benchkit.plugin.guard import note_failure, with_blame
from benchkit.plugin.manager import registry
from benchkit.trial.record import Record
from benchkit.whole_file import append_whole

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.trial.rows import RowOutcomes, TestPart

ColumnsOf = Callable[[Record, Sequence[str], "TestPart"], Mapping[str, "np.ndarray"]]
"""Of a record, names of raw columns and its test part: the columns' values in the test rows."""

_PLACE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*/rows/[A-Za-z0-9][A-Za-z0-9._-]*\.arrows):(\d{1,18})\+(\d{1,10})")
_LONGEST = 2**28  # bytes of one trial's batch that are read


@cache
def _schemas() -> tuple[pa.Schema, pa.Schema]:
    """Columns of a trial's outcomes (its name, its test part, what became of each row), and of a test part."""
    import pyarrow as pa

    text, floats, places = pa.string(), pa.list_(pa.float64()), pa.list_(pa.int32())
    of_trials = {
        "trial": text,
        "part": text,
        "wrong": pa.list_(pa.bool_()),
        "squared": pa.list_(pa.float32()),
        "label": places,
        "target": floats,
        "decision": floats,
        "probabilities": floats,
        "classes": text,  # of the columns of the two before it, as JSON
        "changed": pa.binary(),  # bits, row after row
    }
    of_parts = {"part": text, "rows": places, "label": places, "target": floats, "classes": text}
    # Where whole groups are drawn; and names of classes and of the columns' features, as JSON.
    of_parts |= {"groups": places, "names": text}
    return pa.schema(of_trials), pa.schema(of_parts)


@dataclass
class OutcomesWriter:
    """Appends the outcomes of one run's rows below an output folder; of those behind ``limit`` bytes losses alone."""

    out: Path
    suite: str
    run: str
    limit: float = math.inf
    _written_parts: set[str] = field(default_factory=set)
    _bytes: int = 0

    def append(self, trial: str, outcomes: RowOutcomes) -> str:
        """Write a trial's outcomes, or nothing of them; return where they are, as its record tells it."""
        import numpy as np

        part, classifies = outcomes.part, outcomes.part.classes is not None
        answer = "label" if classifies else "target"
        classes, names = json.dumps(part.classes, default=str), json.dumps([part.class_names, part.features])
        content = {"rows": part.rows, answer: part.truth, "classes": classes, "names": names, "groups": part.groups}
        digest = hashlib.sha256()
        for value in (part.rows, part.truth, part.groups, classes, names):
            digest.update(b"" if value is None else value.encode() if isinstance(value, str) else value.tobytes())
        key = digest.hexdigest()[:16]
        row: dict[str, Any] = {"trial": trial, "part": key, "wrong" if classifies else "squared": outcomes.loss}
        if self._bytes < self.limit and outcomes.predictions is not None:
            row[answer] = outcomes.predictions
            for name in ("decision", "probabilities"):
                if (answers := getattr(outcomes, name)) is not None:
                    # Of two classes' probabilities the second's, where the first's are what is missing to 1.
                    of_two = answers.shape[1:] == (2,) and np.array_equal(answers[:, 0], 1 - answers[:, 1])
                    row[name] = answers[:, 1] if of_two else answers.ravel()
            if outcomes.model_classes is not None:
                row["classes"] = json.dumps(outcomes.model_classes, default=str)
            if outcomes.changed is not None:
                row["changed"] = np.packbits(outcomes.changed, axis=1).tobytes()
        path = self.out / f"{self.suite}/rows/{self.run}.arrows"
        with writing(path):
            if not self._written_parts:  # a folder that is deleted later is an error
                path.parent.mkdir(parents=True, exist_ok=True)
            if key not in self._written_parts:
                _append(path.with_suffix(".parts.arrows"), _schemas()[1], {"part": key, **content})
                self._written_parts.add(key)
            start, length = _append(path, _schemas()[0], row)
        self._bytes += length
        return f"{self.suite}/rows/{self.run}.arrows:{start}+{length}"


def _append(path: Path, schema: pa.Schema, row: Mapping[str, Any]) -> tuple[int, int]:
    """Append a batch of one row; where it begins, and how long it is."""
    import pyarrow as pa

    batch = pa.RecordBatch.from_pylist([dict(row)], schema=schema).serialize()
    start = path.stat().st_size if path.exists() else 0
    header = b"" if start else schema.serialize().to_pybytes()
    append_whole(path, header + batch.to_pybytes())
    return start + len(header), batch.size


@dataclass
class Outcomes:
    """Outcomes of rows that lie below an output folder."""

    out: Path
    _parts: dict[Path, dict[str, TestPart]] = field(default_factory=dict)
    _sizes: dict[Path, int] = field(default_factory=dict)

    def are_there(self, record: Record) -> bool:
        """Whether what a record says of its rows is there, in whole; true where it says nothing."""
        if not (where := record.get("outcomes")):
            return True
        if (place := _PLACE.fullmatch(where)) is None:
            return False
        path = self.out / place[1]
        if path not in self._sizes:
            self._sizes[path] = path.stat().st_size if path.is_file() else 0
        return self._sizes[path] >= int(place[2]) + int(place[3])

    def of(self, record: Record, losses_only: bool = False) -> RowOutcomes | None:
        """The outcomes of a record's trial, or None; a `JournalError` where they are damaged or gone.

        To read the losses alone takes half the time.
        """
        if not (where := record.get("outcomes")):
            return None
        import numpy as np
        import pyarrow as pa

        from benchkit.trial.rows import RowOutcomes

        place = _PLACE.fullmatch(where)
        if place is None or int(place[3]) > _LONGEST:
            raise JournalError(f"{where!r} is no place of rows")
        path = self.out / place[1]
        try:
            with path.open("rb", buffering=0) as file:
                content = os.pread(file.fileno(), int(place[3]), int(place[2]))
            batch = pa.ipc.read_record_batch(pa.ipc.read_message(content), _schemas()[0])
            row = _values(batch.select(["trial", "part", "wrong", "squared"]) if losses_only else batch)
            if row["trial"] != record["trial"]:
                raise JournalError(f"{path}: rows of another trial than {record['trial']}")
            parts = self._parts.setdefault(path, {})
            if row["part"] not in parts:
                parts |= _read_parts(path.with_suffix(".parts.arrows"))
            part = parts[row["part"]]
            n, classifies = len(part.rows), part.classes is not None
            if record.get("n_test") not in (None, n):
                raise JournalError(f"{path}: {n} rows of a trial that was tested on {record['n_test']}")
            loss = row["wrong" if classifies else "squared"]
            predictions = None if losses_only else row["label" if classifies else "target"]
            _require_fit(n, part.classes, predictions, loss)
            if losses_only:
                return RowOutcomes(part, loss)
            decision, probabilities = (
                values if values is None or len(values) == n else values.reshape(n, -1)
                for values in (row["decision"], row["probabilities"])
            )
            if probabilities is not None and probabilities.ndim == 1:
                probabilities = np.column_stack([1 - probabilities, probabilities])
            if (changed := row["changed"]) is not None:  # bits: eight a byte, none set behind the last column
                changed = np.unpackbits(np.frombuffer(changed, dtype=np.uint8).reshape(n, -1), axis=1).astype(bool)
            labels = None if row["classes"] is None else tuple(json.loads(row["classes"]))
            return RowOutcomes(part, loss, predictions, decision, probabilities, labels, changed)
        except FileNotFoundError:
            raise JournalError(f"{path}: gone; run the suite again with --fresh to have its rows") from None
        except (OSError, EOFError, LookupError, ValueError, TypeError, pa.ArrowException) as error:
            raise JournalError(f"{path}: damaged: {type(error).__name__}") from None


def _read_parts(path: Path) -> dict[str, TestPart]:
    import pyarrow as pa

    from benchkit.trial.rows import TestPart

    parts = {}
    try:
        messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(path.read_bytes()))
        schema = pa.ipc.read_schema(messages.read_next_message())
        for message in messages:
            row = _values(pa.ipc.read_record_batch(message, schema))
            labels = None if (classes := json.loads(row["classes"])) is None else tuple(classes)
            truth = row["target" if labels is None else "label"]
            groups = row.get("groups")  # an earlier version had no groups, nor names
            names, features = (tuple(map(str, listed)) for listed in json.loads(row.get("names") or "[[], []]"))
            _require_fit(len(row["rows"]), labels, truth, truth, groups)
            parts[row["part"]] = TestPart(row["rows"], truth, labels, groups, names, features)
    except (pa.ArrowInvalid, EOFError, StopIteration):  # the torn end of a run that was killed
        pass
    return parts


def _values(batch: pa.RecordBatch) -> dict[str, Any]:
    """The values of a batch of one row, lists as arrays; a `ValueError` (of Arrow) where it is damaged."""
    import numpy as np
    import pyarrow as pa

    batch.validate(full=True)
    values: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        # Arrow's own `to_numpy` imports pandas, which takes longer than reading the rows of most runs.
        listed = column[0].values if isinstance(column[0], pa.ListScalar) else None
        if listed is None:
            values[name] = column[0].as_py()
        elif pa.types.is_boolean(listed.type) and len(listed):
            bits = np.unpackbits(np.frombuffer(listed.buffers()[1], dtype=np.uint8), bitorder="little")
            values[name] = bits[listed.offset : listed.offset + len(listed)].view(bool)
        else:
            values[name] = np.from_dlpack(listed)
    return values


def _require_fit(
    n: int, classes: tuple[Any, ...] | None, codes: np.ndarray | None, required: np.ndarray, *more: np.ndarray | None
) -> None:
    """Refuse what is not one value for each row, and places among classes that there are not, by a `ValueError`."""
    if any(array is not None and len(array) != n for array in (codes, *more)) or len(required) != n:
        raise ValueError("not one value for each row")
    if codes is not None and classes is not None and n and not 0 <= codes.min() <= codes.max() < len(classes):
        raise ValueError("a class that there is not")


def context_for(
    metric: Metric, kept: RowOutcomes, record: Record | None = None, columns: ColumnsOf | None = None
) -> MetricContext:
    """What a metric is given where rows alone are left; a `NotApplicableError` where too little was kept for it.

    ``columns`` says where raw columns come from, for metrics that read some.
    """
    from benchkit.trial.rows import stored_context

    task = "regression" if kept.part.classes is None else "classification"
    if metric.needs == "model" or task not in metric.tasks:
        raise NotApplicableError(f"{metric.name} cannot be told from rows")
    if kept.predictions is None and metric.needs != "losses":
        raise NotApplicableError(f"{metric.name} needs predictions, and the run kept losses alone")
    if not metric.columns:
        return stored_context(kept)
    if columns is None or record is None:
        raise NotApplicableError(f"{metric.name} reads the columns {', '.join(metric.columns)}, which are not at hand")
    return replace(stored_context(kept), columns=columns(record, metric.columns, kept.part))


def extended(
    record: Record, further: Iterable[Metric], outcomes: Outcomes, columns: ColumnsOf | None = None
) -> dict[str, Any]:
    """The fields ``metrics`` and ``no_value`` of a record, of a trial that ended ok, with further metrics."""
    from benchkit.trial.scoring import value_of

    values, reasons = dict(record["metrics"]), dict(record.get("no_value") or {})
    try:
        kept = outcomes.of(record)
        why = "nothing was kept of this trial's rows: run the suite again with --fresh"
    except JournalError as error:
        kept, why = None, str(error)
    for metric in further:
        values[metric.name] = None
        try:
            if kept is None:
                raise NotApplicableError(why)
            value = value_of(metric, context_for(metric, kept, record, columns))
            values[metric.name] = value if math.isfinite(value) else None
            reasons.pop(metric.name, None)
        except NotApplicableError as error:
            reasons[metric.name] = str(error)
        except (Exception, SystemExit) as error:
            reasons[metric.name] = f"{type(error).__name__}: {with_blame(error)}"
            note_failure(f"metric {metric.name!r}: {one_line(error)}")
    return {"metrics": values, "no_value": reasons}


def extended_all(
    folder: Path, plugins: tuple[str, ...], asked: Sequence[tuple[Record, Sequence[str]]]
) -> list[dict[str, Any]]:
    """`extended` for several records of an output folder and names of metrics, as a worker is asked for it."""
    outcomes, known = Outcomes(folder), registry(plugins).metrics
    return [extended(row, [known[name] for name in names], outcomes) for row, names in asked]
