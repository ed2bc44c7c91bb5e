"""Where a suite comes from: its file, the shipped ones, and where in it a mistake is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import yaml

from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite import yaml_text
from benchkit.suite.names import shipped

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


IN_PYTHON = Path("suite-given-in-Python")
"""What stands for the file of a suite without one: its paths are relative to the current folder."""


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
        where = "suite" if self.path == IN_PYTHON else f"{self.path}:{line}"
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
        node, line, names = self.root, self.root.start_mark.line + 1, []
        for part in location:
            step = _child(node, part)
            if step is None:
                continue  # a part that only the model has, such as the tag of a union
            node, line = step
            names.append(str(part))
        return line, ".".join(names)


def _child(node: yaml.Node, part: str | int) -> tuple[yaml.Node, int] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):  # what is merged into a mapping stands before its own keys
            if key.value == str(part):
                return value, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        value = node.value[part]
        return value, value.start_mark.line + 1
    return None


def find(reference: str) -> Path:
    """Path of a suite that is named as a path or as a shipped suite."""
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        try:
            if path.is_file():
                return path
        except OSError as error:
            raise SuiteError(f"{reference[:80]}...: {error.strerror}") from None
        raise SuiteError(f"{reference}: " + ("a folder, not a suite file" if path.is_dir() else "no such suite file"))
    known = shipped()
    if reference in known:
        return known[reference]
    hint = Suggestion(reference, known, otherwise=f"shipped suites: {', '.join(known)}")
    raise SuiteError(f"unknown suite {reference!r}; {hint} (a path ends in .yaml)")


def read(given: Path | Mapping[str, Any]) -> tuple[dict[str, Any], SuiteText]:
    """Plain values and a source, of a file or of what such a file says.

    Parameters
    ----------
    given : Path or mapping
        A YAML file; or its keys, where tuples, paths, and NumPy's numbers and arrays stand for lists, texts and
        numbers.

    Raises
    ------
    SuiteError
        The file cannot be read, or the mapping holds something that no file could say.
    """
    path = IN_PYTHON if isinstance(given, Mapping) else given
    try:
        if isinstance(given, Mapping):
            text = yaml_text.write({str(key): _plain(item, [str(key)]) for key, item in given.items()})
        elif not given.is_file():  # a pipe, say, would be waited for
            raise SuiteError(f"{given}: cannot be read: {'no file of text' if given.exists() else 'no such file'}")
        else:
            text = given.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{given}: cannot be read: {error}") from None
    try:
        values, root = yaml_text.parse_with_lines(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SuiteError(f"{path}{line}: not valid YAML: {problem}") from None
    if root is None or not isinstance(values, dict):
        raise SuiteError(f"{path}:1: a suite is a mapping of keys such as 'name', 'datasets', 'algorithms'")
    # The keys ``x-...`` are a place for anchors that several entries refer to.
    plain = {key: value for key, value in values.items() if not (isinstance(key, str) and key.startswith("x-"))}
    return plain, SuiteText(path, root)


def _plain(value: Any, at: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item, [*at, str(key)]) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, [*at, str(place)]) for place, item in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    kind = type(value).__name__
    raise SuiteError(f"suite: {'.'.join(at)}: {kind}: nothing that a suite file can say: give text, numbers, lists")
