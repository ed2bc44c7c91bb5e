"""Writes outcomes of rows beside the journal, in the form that `benchkit.journal.outcomes` tells."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import JournalError
from benchkit.journal.outcomes import FOLDER, parts_schema, trials_schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.trial.outcomes import RowOutcomes, TestPart


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
                _append(self._parts, parts_schema(), _part_row(key, part))
                self._known.add(key)
            row = _trial_row(trial, key, outcomes, whole=self._written < self._limit)
            start, length = _append(self._trials, trials_schema(), row)
        except OSError as error:
            raise JournalError(f"{self._trials}: cannot write: {error.strerror or error}") from None
        self._written += length
        return f"{self.name}:{start}+{length}"


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
