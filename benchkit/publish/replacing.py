"""Taking published rows out that newer ones replace: made by other code, or elsewhere, for the same question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from benchkit.journal import Record
from benchkit.publish.index_format import Index
from benchkit.publish.matching import entry_of, question_of, spot_of

Answer = tuple[str, str, str, int]
"""A question, the entry of a method, a place on the axis, a repetition."""


def answer_of(design: Mapping[str, Any], method: Mapping[str, Any], row: Mapping[str, Any]) -> Answer:
    """What a row answers, whatever code it was made with."""
    question, place, repetition = spot_of(question_of(design), row)
    return question, entry_of(method), place, repetition


def replaced(rows: Iterable[Record], answers: set[Answer], index: Index, by: str) -> list[Record]:
    """Rows of one publisher that give one of these answers.

    Parameters
    ----------
    rows : iterable of record
        Published ones.
    answers : set of Answer
    index : dict
        That describes `rows`.
    by : str
        Others' rows are never replaced.
    """
    found = []
    for row in rows:
        contribution = index["contributions"][row["contribution"]]
        method = contribution["methods"][row["method"]]
        if contribution["by"] == by and answer_of(index["designs"][row["design"]], method, row) in answers:
            found.append(row)
    return found


def forget_replaced(index: Index, rows: Mapping[str, Sequence[Record]], gone: Sequence[Record]) -> None:
    """Let an index speak of no row that is gone.

    Parameters
    ----------
    index : dict
        Is changed.
    rows : mapping of str to sequence of record
        What every file holds now.
    gone : sequence of record
        That were taken out.
    """
    left = [row for members in rows.values() for row in members]
    used = {row["contribution"] for row in left}
    index["contributions"] = _kept(index["contributions"], used)
    index["designs"] = _kept(index["designs"], {row["design"] for row in left})
    index["suites"] = _kept(index["suites"], {each["suite_spec"] for each in index["contributions"].values()})
    trials = {f"(trial {row['trial']})" for row in gone}
    index["conflicts"] = [text for text in index["conflicts"] if not any(trial in text for trial in trials)]


def _kept(entries: MutableMapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if name in names}
