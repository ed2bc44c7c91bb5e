"""Taking published rows out that newer ones replace: made by other code, or elsewhere, or tuned otherwise then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from benchkit.journal import Record
from benchkit.published.asked import Asked, as_text
from benchkit.published.index_format import Index
from benchkit.published.matching import question_of_data, spot_of
from benchkit.published.plain import same_outcome
from benchkit.published.rows import PublishedRow

Answer = tuple[str, str, str, int]
"""A question, the entry of a method, a place on the axis, a repetition."""

New = tuple[Asked, Record]
"""A row that gives an answer, and where it stands."""


def answer_of(design: Mapping[str, Any], method: Mapping[str, Any], row: Mapping[str, Any]) -> Answer:
    """What a row answers, whatever code it was made with: also that of a plugin file."""
    entry = {**method["question"], "file": bool(method["question"].get("file"))}
    question, place, repetition = spot_of(question_of_data(design), row)
    return question, as_text(entry), place, repetition


def replaced(rows: Iterable[PublishedRow], answers: Mapping[Answer, New], index: Index, by: str) -> list[PublishedRow]:
    """Rows of one publisher that are to make place for a new one with the same answer.

    Within a suite a label stands for one entry at a place. Where it stands for another one than it did, as when the
    suite tunes the method otherwise now, what the new one answers replaces what the old one did. A row stays where the
    new one is the same, of the same code, or lacks one of its metrics.

    Parameters
    ----------
    rows : iterable of record
        Published ones, of one label of a suite.
    answers : mapping of Answer to New
        The new rows, by what they answer.
    index : dict
        That describes `rows`.
    by : str
        Others' rows are never replaced.
    """
    found = []
    by_place = {_without_entry(answer): new for answer, new in answers.items()}
    for row in rows:
        contribution = index["contributions"][row["contribution"]]
        method = contribution["methods"][row["method"]]
        answer = answer_of(index["designs"][row["design"]], method, row)
        new = answers.get(answer) or by_place.get(_without_entry(answer))
        if new is not None and contribution["by"] == by and _is_better(*new, row):
            found.append(row)
    return found


def _without_entry(answer: Answer) -> tuple[str, str, int]:
    question, _, place, repetition = answer
    return question, place, repetition


def _is_better(place: Asked, new: Record, old: PublishedRow) -> bool:
    if place == Asked(old["design"], old["method"]) and same_outcome(new, old):
        return False
    return all(new["metrics"].get(name) is not None for name, value in old["metrics"].items() if value is not None)


def forget_replaced(index: Index, rows: Mapping[str, Sequence[PublishedRow]], gone: Sequence[PublishedRow]) -> None:
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
    runs: dict[str, set[str]] = {str(row["trial"]): set() for row in gone}
    for row in left:
        if row["trial"] in runs:
            runs[row["trial"]].add(row["run"])
    index["conflicts"] = [
        each for each in index["conflicts"] if each["trial"] not in runs or runs[each["trial"]].issuperset(each["runs"])
    ]


def _kept(entries: MutableMapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if name in names}
