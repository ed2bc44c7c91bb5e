"""Suites that have been read and found valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchkit.suite.source import SuiteError, SuiteText
from benchkit.suite.whole_suite import Suite


@dataclass(frozen=True)
class Loaded:
    """A validated suite, the profile that was applied, and where it came from."""

    suite: Suite
    profile: str
    source: SuiteText

    def plugin_files(self, others: Sequence[str] = ()) -> tuple[str, ...]:
        """Absolute paths of the plugin files that the suite names, and after them of others.

        Raises
        ------
        SuiteError
            One of them is not there.
        """
        base = self.source.path.parent
        files = [*(str((base / name).resolve()) for name in self.suite.plugins), *others]
        for file in files:
            if not Path(file).is_file():
                raise SuiteError(f"no such plugin file: {file}")
        return tuple(dict.fromkeys(files))


@dataclass(frozen=True)
class Collection:
    """Suites that are asked for under one name; a suite that includes no other is a collection of one.

    Attributes
    ----------
    loaded : Loaded
        The file that was asked for.
    suites : tuple of Loaded
        The suites that run something: the file itself, or what it includes, in its order.
    """

    loaded: Loaded
    suites: tuple[Loaded, ...]

    @property
    def is_one(self) -> bool:
        """Whether the file asked for is the suite that runs."""
        return not self.loaded.suite.include

    @property
    def name(self) -> str:
        """The name of the file's suite."""
        return self.loaded.suite.name
