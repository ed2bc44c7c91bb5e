"""The journal of an audit: each part in a line once it is measured, so that one that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.auditing.outcome import Outcome
from benchkit.auditing.plain_form import from_plain, to_plain
from benchkit.errors import RequestError
from benchkit.regular_file import bounded_reading, open_regular

if TYPE_CHECKING:
    import numpy as np

    from benchkit.auditing.subject import Answers, Subject

FILE = "audit.jsonl"
_FORMAT = 1


class KeptParts:
    """Parts of an audit in a file of its folder, which belongs to one model, hold-out and set of options.

    Parameters
    ----------
    folder : Path
        Made where it is not there.
    key : mapping
        What decides what is measured, as plain values. A file of another key is of another audit: it is replaced.

    Attributes
    ----------
    replaced : bool
        Whether the folder held another audit.

    Raises
    ------
    RequestError
        The folder cannot be written to, or its file is none of an audit.
    """

    def __init__(self, folder: Path, key: Mapping[str, Any]) -> None:
        self._path = folder / FILE
        self._key = {"format": _FORMAT, "key": dict(key)}
        self._parts: dict[str, Any] = {}
        self.replaced = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self._path.exists():
                self._read()
            if not self._parts:
                self._path.write_text(json.dumps(self._key) + "\n", encoding="utf-8")
        except OSError as error:
            raise RequestError(f"{folder}: cannot be written: {error.strerror}") from None

    def _read(self) -> None:
        lines = list(_lines(self._path))
        if not lines or lines[0] != json.loads(json.dumps(self._key)):
            self.replaced = any("part" in each for each in lines)
            return
        self._parts = {each["part"]: each["found"] for each in lines if "part" in each}
        # A line that was cut short, or the report of a run that ended, is written again behind those that are whole.
        whole = [self._key, *({"part": name, "found": found} for name, found in self._parts.items())]
        self._path.write_text("".join(json.dumps(each) + "\n" for each in whole), encoding="utf-8")

    @property
    def names(self) -> list[str]:
        """Of the parts that were there."""
        return list(self._parts)

    def take(self, name: str, outcome: Outcome) -> bool:
        """Put a part that is there into the outcome; whether it was."""
        if name not in self._parts:
            return False
        for field, said in self._parts[name].items():
            value = from_plain(said)
            if isinstance(value, list):
                getattr(outcome, field).extend(value)
            else:
                setattr(outcome, field, value)
        return True

    def keep(self, name: str, before: Mapping[str, Any], outcome: Outcome) -> None:
        """Write what a part added to the outcome since `state_of` told what was there."""
        added = {}
        for field, was in before.items():
            now = getattr(outcome, field)
            if isinstance(now, list):
                if len(now) > was:
                    added[field] = to_plain(now[was:])
            elif now is not was:
                added[field] = to_plain(now)
        self.write({"part": name, "found": added})

    def write(self, said: Mapping[str, Any]) -> None:
        """A further line."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")


def state_of(outcome: Outcome) -> dict[str, Any]:
    """How long each list of an outcome is, and what else it holds: for `KeptParts.keep`."""
    values = {each.name: getattr(outcome, each.name) for each in fields(outcome) if each.name != "subject"}
    return {name: len(value) if isinstance(value, list) else value for name, value in values.items()}


def fingerprint(model: Any, subject: Subject, answers: Answers, options: Mapping[str, Any]) -> dict[str, Any]:
    """What decides an audit: the hold-out, the model by what it is and what it answers, the options.

    Parameters
    ----------
    model : object
        Told by its content where that can be hashed, and always by its answers.
    subject : Subject
    answers : Answers
        To all rows.
    options : mapping
        Plain values.
    """
    import joblib

    said = hashlib.sha256()
    for array in (answers.predictions, answers.scores):
        said.update(b"" if array is None else _bytes(array))
    try:
        content = joblib.hash(model)
    except Exception:  # what cannot be pickled is told by its answers alone
        content = ""
    return {"model": content, "answers": said.hexdigest(), "rows": digest_of(subject), **options}


def digest_of(subject: Subject) -> str:
    """Of the rows of a table, and what is true of them."""
    import joblib

    columns = [(each.name, each.values) for each in subject.columns]
    return str(joblib.hash([columns, subject.truth, subject.classes]))


def read_kept(folder: Path) -> tuple[dict[str, Any], Outcome]:
    """The audit that a folder holds: what is said of it, and all that was measured.

    Raises
    ------
    RequestError
        It was not ended, or another program wrote it.
    """
    path = folder / FILE
    try:
        with bounded_reading(str(path)):  # a stranger may have written it
            ended = [each for each in _lines(path) if "audit" in each]
            if not ended:
                raise RequestError(f"{path}: the audit was not ended: the same command goes on with it")
            outcome = from_plain(ended[-1]["audit"])
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{path}: {error}") from None
    if not isinstance(outcome, Outcome) or not isinstance(ended[-1].get("said"), dict):
        raise RequestError(f"{path}: holds no audit")
    return ended[-1]["said"], outcome


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are whole; the last may have been cut short."""
    with open_regular(path) as file:
        for line in file:
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(said, dict):
                yield said


def _bytes(array: np.ndarray) -> bytes:
    import numpy as np

    return np.ascontiguousarray(array).tobytes()
