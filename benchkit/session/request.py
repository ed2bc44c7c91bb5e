"""What is asked of a run, or of a plan: which suite, which part of it, and when it is enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, Self

from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.manager import registry
from benchkit.plugin.nearest_name import Suggestion
from benchkit.session.row_sources import open_rows
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import Trial


class Selection:
    """What ``only`` asks for, of several suites: a value need not be in each of them, but in one."""

    def __init__(self, only: Mapping[str, str | Sequence[str]]) -> None:
        self._wanted = {key: [values] if isinstance(values, str) else list(values) for key, values in only.items()}
        self._ids = self._wanted.pop("trial", None)
        self._met: set[tuple[str, str]] = set()
        self._missed: dict[tuple[str, str], NothingSelectedError] = {}

    def of(self, trials: Sequence[Trial]) -> list[Trial]:
        """The trials of one suite that have the values; none where it has none of a field's values."""
        here = dict(self._wanted)
        while all(here.values()):
            try:
                chosen = select(trials, here) if here else list(trials)
            except NothingSelectedError as error:
                self._missed[error.key, error.value] = error
                here[error.key] = [value for value in here[error.key] if value != error.value]
            else:
                self._met |= {(key, value) for key, values in here.items() for value in values}
                return chosen
        return []

    def by_id(self, trials: Mapping[str, Trial]) -> dict[str, Trial]:
        """The trials whose ids, or beginnings of ids, were asked for; all where none were."""
        if self._ids is None:
            return dict(trials)
        for beginning in self._ids:
            if any(name.startswith(beginning) for name in trials):
                self._met.add(("trial", beginning))
            else:
                self._missed["trial", beginning] = NothingSelectedError("trial", beginning, list(trials)[:3])
        return {name: trial for name, trial in trials.items() if name.startswith(tuple(self._ids))}

    def check(self) -> None:
        """Raise `SuiteError` for a value that no suite has."""
        for name, mistake in self._missed.items():
            if name not in self._met:
                raise mistake


SELECTABLE = ("trial", "dataset", "group", "algorithm", "adversary", "repetition", "budget", "axis_value")


class NothingSelectedError(SuiteError):
    """No trial of the suite has a value that was asked for.

    Parameters
    ----------
    key, value : str
    known : iterable of str
        The values that there are.
    """

    def __init__(self, key: str, value: str, known: Iterable[str]) -> None:
        known = sorted(known)
        hint = Suggestion(value, known, otherwise=f"{key} is one of {', '.join(known)}")
        super().__init__(f"--only {key}={value} selects no trial; {hint}")
        self.key, self.value = key, value


def select(trials: Iterable[Trial], only: Mapping[str, str | Sequence[str]]) -> list[Trial]:
    """The trials whose fields equal the given ones.

    Parameters
    ----------
    only : mapping of str to str, or to a sequence of them
        Field (one of `SELECTABLE`, or ``dataset.PARAM``) to its value, or to several of which it has one; compared as
        text or as numbers.
    """
    trials = list(trials)
    for key, values in only.items():
        if key not in SELECTABLE and not key.startswith("dataset."):
            hint = Suggestion(key, SELECTABLE, otherwise=f"known: {', '.join(SELECTABLE)}, dataset.PARAM")
            raise SuiteError(f"--only {key}: unknown field; {hint}")
        seen = {str(_value(trial, key)) for trial in trials}
        chosen = []
        for wanted in [values] if isinstance(values, str) else values:
            found = [trial for trial in trials if _same(_value(trial, key), wanted)]
            if not found:
                raise NothingSelectedError(key, wanted, seen)
            chosen += found
        kept = set(map(id, chosen))
        trials = [trial for trial in trials if id(trial) in kept]
    return trials


def _value(trial: Trial, key: str) -> Any:
    if key.startswith("dataset."):
        return trial.dataset.params.get(key.partition(".")[2])
    return trial.fields[key]


def _same(value: Any, wanted: str) -> bool:
    if str(value) == wanted:
        return True
    try:
        return float(value) == float(wanted)
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True)
class Shard:
    """Part ``index`` of ``count``, counted from one."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """A shard written as ``2/5``."""
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise SuiteError(f"--shard {text[:80]}: expected I/N with 1 <= I <= N, such as 2/5")
        return cls(int(match[1]), int(match[2]))

    def select(self, trials: Sequence[Trial], together: Mapping[str, int] | None = None) -> list[bool]:
        """Which trials of a whole plan belong to this part.

        Trials that can share a fit stay together: those of one dataset, repetition and algorithm.

        Parameters
        ----------
        trials : sequence of Trial
        together : mapping of cell to int, optional
            Cells with one number stay together, with all their repetitions.
        """
        if together is not None:
            return [together[trial.cell] % self.count == self.index - 1 for trial in trials]
        units: dict[tuple[int, int, str], int] = {}
        keys = [(id(trial.dataset), trial.repetition, trial.algorithm.label) for trial in trials]
        return [units.setdefault(key, len(units)) % self.count == self.index - 1 for key in keys]

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


ALL = Shard(1, 1)


@dataclass(frozen=True)
class Request:
    """What is asked; see `benchkit.run`. A contradiction in it is a `SuiteError`."""

    suite: str | Mapping[str, Any]
    profile: str | None = None
    out: str | Path = "runs"
    only: Mapping[str, str | Sequence[str]] | None = None
    settings: Mapping[str, Any] | None = None
    plugins: Sequence[str | Path] = ()
    add: Sequence[str] = ()
    shard: str | None = None
    keep_models: bool = False
    fresh: bool = False
    against: str | Path | None = None
    until_decided: bool = False
    within: float | None = None
    most: int | None = None
    repetitions: Mapping[str, int] = field(default_factory=dict)  # by suite, of a look of `run_until_decided`

    def __post_init__(self) -> None:
        _ = self.part
        for name, value in (("within", self.within), ("most", self.most)):
            if value is not None and not self.until_decided:
                raise SuiteError(f"--{name} limits repetitions that go on: give it together with --until-decided")
        if self.within is not None and not _is_number(self.within, float | int):
            raise SuiteError(f"within is {self.within!r}: expected a number of seconds, such as 7200")
        if self.most is not None and not (_is_number(self.most, int) and self.most > 0):
            raise SuiteError(f"most is {self.most!r}: expected a whole number of repetitions, such as 100")
        if self.within is not None and not self.within > 0:
            raise SuiteError(f"--within {self.within:g}: expected more than 0 seconds")
        if self.until_decided and "repetition" in (self.only or {}):
            raise SuiteError("--only repetition chooses repetitions, and --until-decided asks for as many as it takes")

    @cached_property
    def part(self) -> Shard:
        """Which part of the trials is run here."""
        return Shard.parse(self.shard) if self.shard else ALL

    @cached_property
    def beside(self) -> RowsBeside | None:
        """Rows from elsewhere, which may answer trials; opened once."""
        files = tuple(str(Path(name).resolve()) for name in self.plugins)
        return None if self.against is None else open_rows(self.against, registry(files))


def _is_number(value: object, kind: type | UnionType) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
