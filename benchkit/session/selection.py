"""Choosing trials of a plan by what they are: ``--only``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.plan import Trial
from benchkit.suite.source import SuiteError


class Selection:
    """What ``only`` asks for, of several suites: a value need not be in each of them, but in one."""

    def __init__(self, only: Mapping[str, str | Sequence[str]]) -> None:
        self._wanted = {key: [values] if isinstance(values, str) else list(values) for key, values in only.items()}
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

    def check(self) -> None:
        """Raise `SuiteError` for a value that no suite has."""
        for name, mistake in self._missed.items():
            if name not in self._met:
                raise mistake


SELECTABLE = ("dataset", "group", "algorithm", "adversary", "repetition", "budget", "axis_value")


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
