"""A suite's text, which knows the line of every key, and the error that names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchkit.errors import RequestError

Location = Sequence[str | int]


class SuiteError(RequestError):
    """The suite, or how it was asked for, is wrong; the message is one line for the user."""


_MOST_TOLD = 20


def told_at_once(mistakes: Sequence[str]) -> str:
    """One mistake as its line; of several each on a line of its own, of very many the first and how many more."""
    if len(mistakes) == 1:
        return mistakes[0]
    told = [f"{len(mistakes):,} mistakes:", *(f"  {mistake}" for mistake in mistakes[:_MOST_TOLD])]
    if (more := len(mistakes) - _MOST_TOLD) > 0:
        told.append(f"  ... and {more:,} more")
    return "\n".join(told)


@dataclass(frozen=True)
class SuiteText:
    """A suite's text, which can tell the line of a key.

    Attributes
    ----------
    path : Path
    root : Node
    profile : str or None
        The one that was applied.
    settings : tuple of str
        Dotted keys that ``--set`` replaced.
    """

    path: Path
    root: yaml.Node
    profile: str | None = None
    settings: tuple[str, ...] = ()

    def error(self, location: Location, message: str) -> SuiteError:
        """An error that names file, line and key, or the option that a value came from."""
        for setting in self.settings:
            parts = setting.split(".")
            if [str(part) for part in location[: len(parts)]] == parts:
                return SuiteError(f"--set {setting}: {'.'.join(map(str, location))}: {message}")
        if self.profile is not None and self._in_profile(location):
            location = ["profiles", self.profile, *location]
        line, key = self.line(location)
        where = f"{self.path}:{line}"
        return SuiteError(f"{where}: {key}: {message}" if key else f"{where}: {message}")

    def place_of_parameter(self, entry: Location, name: str) -> Location:
        """Where a dataset's parameter stands: beside the suite's keys, where ``--set`` puts it, or under ``params``."""
        beside = [*entry, name]
        return beside if ".".join(map(str, beside)) in self.settings else [*entry, "params", name]

    def _in_profile(self, location: Location) -> bool:
        """Whether the profile gives the value: mappings are merged key by key, all else is replaced whole."""
        node: yaml.Node | None = self.root
        for part in ("profiles", self.profile, *location):
            if not isinstance(node, yaml.MappingNode):
                return True
            step = _child(node, str(part))
            if step is None:
                return False
            node = step[0]
        return True

    def line(self, location: Location) -> tuple[int, str]:
        """Line (from 1) and dotted name of the deepest part of a location that the file has."""
        node, line, found = self.root, self.root.start_mark.line + 1, []
        for part in location:
            step = _child(node, part)
            if step is None:
                continue  # a part that only the model has, such as the tag of a union
            node, line = step
            found.append(str(part))
        return line, ".".join(found)


IN_PYTHON = Path("suite-given-in-Python")
"""What stands for the file."""


@dataclass(frozen=True)
class PythonSource(SuiteText):
    """A suite without a file: mistakes are told by key; paths are relative to the current folder."""

    def error(self, location: Location, message: str) -> SuiteError:
        """An error that names the key."""
        for setting in self.settings:
            parts = setting.split(".")
            if [str(part) for part in location[: len(parts)]] == parts:
                return super().error(location, message)
        _, key = self.line(location)
        return SuiteError(f"suite: {key}: {message}" if key else f"suite: {message}")


def _child(node: yaml.Node, part: str | int) -> tuple[yaml.Node, int] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return value, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        value = node.value[part]
        return value, value.start_mark.line + 1
    return None
