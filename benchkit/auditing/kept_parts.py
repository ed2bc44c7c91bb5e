"""The journal of an audit: each part in a line once it is measured, so that one that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.auditing.outcome import Outcome
from benchkit.auditing.plain_form import from_plain, to_plain
from benchkit.errors import RequestError
from benchkit.regular_file import bounded_reading, open_regular, write_whole

if TYPE_CHECKING:
    import numpy as np

    from benchkit.auditing.subject import Answers, Subject

FILE = "audit.jsonl"
PAGE = "report.html"
_FORMAT = 2
# Whose versions decide what is measured beside benchkit's own; a model's libraries are told by its answers.
_COMPUTES_WITH = ("numpy", "pandas", "scipy", "scikit-learn")


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

    Notes
    -----
    A part that is damaged is as one that is not there.
    """

    def __init__(self, folder: Path, key: Mapping[str, Any]) -> None:
        self._path = folder / FILE
        self._key = {"format": _FORMAT, "key": dict(key)}
        self._parts: dict[str, Any] = {}
        self.replaced = False
        try:
            if self._path.exists():
                with bounded_reading(str(self._path)):  # a stranger may have written it
                    self._read()
        except OSError as error:
            raise RequestError(f"{self._path}: cannot be read: {error.strerror}") from None
        with _one_line(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._write_whole()

    def _read(self) -> None:
        lines = list(_lines(self._path))
        if self._path.stat().st_size and not (lines and lines[0].keys() == self._key.keys()):
            raise RequestError(f"{self._path}: another program wrote it: remove it, or give another folder")
        if not lines or lines[0] != json.loads(json.dumps(self._key)):
            self.replaced = any("part" in each for each in lines)
            return
        for each in lines:
            if isinstance(each.get("part"), str) and _is_part(each.get("found")):
                self._parts[each["part"]] = each["found"]

    def _write_whole(self) -> None:
        """What is there and whole: without a line that was cut short, and the report of a run that ended."""
        whole = [self._key, *({"part": name, "found": found} for name, found in self._parts.items())]
        if self._path.is_symlink():
            self._path.unlink()  # `write_whole` would write where it leads
        write_whole(self._path, "".join(json.dumps(each) + "\n" for each in whole))

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
        with _one_line(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")

    def end(self, said: Mapping[str, Any], outcome: Outcome, page: str) -> None:
        """Write all that was measured, what is said of it, and the page that shows it."""
        self.write({"said": said, "audit": to_plain(outcome)})
        place = self._path.with_name(PAGE)
        with _one_line(place):
            place.unlink(missing_ok=True)  # it may be a link
            write_whole(place, page)


@contextmanager
def _one_line(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RequestError(f"{place}: cannot be written: {error.strerror}") from None


def state_of(outcome: Outcome) -> dict[str, Any]:
    """How long each list of an outcome is, and what else it holds: for `KeptParts.keep`."""
    values = {each.name: getattr(outcome, each.name) for each in fields(outcome) if each.name != "subject"}
    return {name: len(value) if isinstance(value, list) else value for name, value in values.items()}


def fingerprint(
    model: Any, subject: Subject, answers: Sequence[Answers | None], options: Mapping[str, Any]
) -> dict[str, Any]:
    """What decides an audit: the hold-out, the model by what it is and what it answers, options, versions.

    Parameters
    ----------
    model : object
        Told by its content where that can be hashed, and always by its answers.
    subject : Subject
    answers : sequence of Answers or None
        To the questions that tell one model from another: all rows, and some where each column is lost. None where it
        has no answer.
    options : mapping
        Plain values.
    """
    import joblib

    said = hashlib.sha256()
    for each in answers:
        for array in (None, None) if each is None else (each.predictions, each.scores):
            said.update(b"-" if array is None else _bytes(array))
    try:
        content = joblib.hash(model)
    except Exception:  # what cannot be pickled is told by its answers alone
        content = ""
    made_by = {name: version(name) for name in _COMPUTES_WITH} | {"benchkit": _own_code()}
    return {"model": content, "answers": said.hexdigest(), "rows": digest_of(subject), "made_by": made_by, **options}


@cache
def _own_code() -> str:
    """Of the sources that audits are made by: the version of one that is developed stays as it is."""
    said = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        said.update(path.read_bytes())
    return said.hexdigest()[:16]


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


def _is_part(said: Any) -> bool:
    """Whether it is what `KeptParts.keep` writes: values of fields of an outcome, of their types."""
    if not isinstance(said, dict):
        return False
    types = {each.name: str(each.type) for each in fields(Outcome)}
    try:
        found = {name: from_plain(value) for name, value in said.items()}
    except (ValueError, RecursionError):
        return False
    return all(_is_of(types.get(name, ""), value) for name, value in found.items())


def _is_of(kind: str, value: Any) -> bool:
    """Whether a value is of a type as annotations write it, ``list[Lost]``."""
    if isinstance(value, list) != kind.startswith("list["):
        return False
    return all(type(each).__name__ in kind for each in (value if isinstance(value, list) else [value]))


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
