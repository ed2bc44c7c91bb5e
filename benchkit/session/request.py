"""What is asked of a run, or of a plan: which suite, which part of it, and when it is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any

from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.manager import registry
from benchkit.session.row_sources import open_rows
from benchkit.session.shard import ALL, Shard
from benchkit.suite.source import SuiteError


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
