"""Test rows, one by one: what each method said of each, under each adversary."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from benchkit.errors import RequestError
from benchkit.journal import JournalError, Record
from benchkit.report.analysis import Analysis
from benchkit.report.results import Results

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.trial.outcomes import RowOutcomes

NAMES = ("trial", "dataset", "algorithm", "adversary", "axis_value", "repetition")


class NoRowsError(RequestError):
    """The run has kept no rows; the message is one line for the user."""


def rows_frame(results: Results, records: Any = None) -> pd.DataFrame:
    """A table with a line for each test row of each trial.

    Parameters
    ----------
    results : Results
    records : sequence of record, optional
        Only these; all by default.

    Returns
    -------
    DataFrame
        What names the trial; ``row``, the row's number in the data set from 0; ``truth`` and ``prediction``, as the
        labels are called there; ``loss``, 1 for a wrong prediction or the squared distance from the target;
        ``decision`` and ``probability`` (with the class, where there are several) where the model gave them; and
        ``changed``, how many columns the adversary changed. Trials that have kept nothing are left out.

    Raises
    ------
    NoRowsError
        No trial has kept rows.
    """
    import pandas as pd

    kept = results.kept_rows.outcomes
    parts = []
    for record in results.rows if records is None else records:
        try:
            outcomes = kept.of(record)
        except JournalError:  # the folder of rows was deleted, or was not brought along
            continue
        if outcomes is not None:
            parts.append(pd.DataFrame(dict(_columns(record, outcomes))))
    if not parts:
        raise NoRowsError(
            f"{results.folder}: no rows were kept (keep: {{rows: none}}, or an earlier version); run it with --fresh"
        )
    return pd.concat(parts, ignore_index=True)


def _columns(record: Record, kept: RowOutcomes) -> Iterator[tuple[str, Any]]:
    import numpy as np

    part, n = kept.part, len(kept.loss)
    for name in NAMES:
        yield name, [record.get(name)] * n
    yield "row", part.rows
    labels = None if part.classes is None else np.asarray(part.classes)
    yield "truth", part.truth if labels is None else labels[part.truth]
    if kept.predictions is not None:
        yield "prediction", kept.predictions if labels is None else labels[kept.predictions]
    yield "loss", kept.loss.astype(float)
    for name, answers in (("decision", kept.decision), ("probability", kept.probabilities)):
        if answers is not None and answers.ndim == 1:
            yield name, answers
        elif answers is not None:
            names = kept.model_classes or range(answers.shape[1])
            yield from ((f"{name} {each}", answers[:, place]) for place, each in enumerate(names))
    if kept.changed is not None:
        yield "changed", kept.changed.sum(axis=1)


def csv_text(analysis: Analysis) -> str:
    """The rows of the chosen trials, as CSV."""
    text: str = rows_frame(analysis.results, analysis.records).to_csv(index=False)
    return text


def parquet_bytes(analysis: Analysis) -> bytes:
    """The rows of the chosen trials, as Parquet."""
    frame = rows_frame(analysis.results, analysis.records)
    mixed = [name for name in ("truth", "prediction", "axis_value") if frame[name].map(type).nunique() > 1]
    file = BytesIO()
    frame.astype(dict.fromkeys(mixed, "string")).to_parquet(file, index=False)
    return file.getvalue()
