"""What is asked of a run or a plan, and how a run is carried out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import RequestError
from benchkit.journal import PublishError
from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry
from benchkit.plugin.nearest_name import suggestion
from benchkit.session.listeners import Progress, chosen_trackers
from benchkit.suite.source import SuiteError

if TYPE_CHECKING:
    from benchkit.session.plan import Plan


@dataclass
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
    part: tuple[int, int] = field(init=False)  # of the trials, counted from one, and of how many parts

    def __post_init__(self) -> None:
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", self.shard or "1/1")
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise SuiteError(f"--shard {self.shard:.80}: expected I/N with 1 <= I <= N, such as 2/5")
        self.part = int(match[1]), int(match[2])
        for name, value in (("within", self.within), ("most", self.most)):
            if value is not None and not self.until_decided:
                raise SuiteError(f"--{name} limits repetitions that go on: give it together with --until-decided")
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise SuiteError(f"--{name} {value!r}: expected a number above 0")
        if self.until_decided and "repetition" in (self.only or {}):
            raise SuiteError("--only repetition chooses repetitions, and --until-decided asks for as many as it takes")


def open_rows(reference: str | Path, known: Registry) -> tuple[str, RowsBeside]:
    """Whose the rows of a place are, and the rows.

    The place is ``NAME:PLACE``, or one of the source that takes places without a name.
    """
    name, colon, place = str(reference).partition(":")
    if not colon or name not in known.row_sources:
        unnamed = [source.name for source in known.row_sources.values() if source.takes_unnamed]
        name, place = next(iter(unnamed), name), str(reference)
    source = known.row_sources[name]
    with guarded(f"{of(source)}: open", passing=(RequestError,), raising=PublishError):
        rows: RowsBeside = source.open(place=place)
    return of(source), rows


@dataclass(frozen=True)
class ExecutionOptions:
    """How what is asked is carried out; see `benchkit.run`."""

    progress: Progress
    executor: str = "local"
    jobs: int | None = None
    timeout: float | None = None
    memory: float | None = None
    retries: int = 0
    isolate: bool = False
    executor_options: Mapping[str, Any] | None = None
    tracking: bool | str | Sequence[str] = False
    plots: bool = False
    on_finished: Callable[[Any], None] | None = None
    report: bool = True  # else the run is a look of `run_until_decided`, which another follows

    def for_executor(self, plan: Plan) -> dict[str, Any]:
        """What the executor of a plan is made with, but for its log.

        Raises
        ------
        SuiteError
            The options contradict each other, the executor or the suite; also where nothing is left to run.
        """
        declared, name, exclusive = plan.registry.executors[self.executor], self.executor, plan.suite.exclusive
        known, values = declared.known_options, {}
        for option, text in (self.executor_options or {}).items():
            if option not in known:
                names = f"it takes {', '.join(sorted(known)) or 'none'}"
                raise SuiteError(f"--executor {name} has no option {option!r}; {suggestion(option, known, names)}")
            try:
                values[option] = known[option].read(text)
            except ValueError:
                raise SuiteError(f"--executor-option {option}={text}: expected {known[option].expected}") from None
        elsewhere = declared.elsewhere or any(known[option].elsewhere and value for option, value in values.items())
        refusals = {
            f"--executor {name} does not take --memory": self.memory is not None and not declared.takes("memory"),
            f"--executor {name} cannot stop a trial: leave out --timeout": bool(self.timeout) and not declared.stops,
            f"--executor {name} has no process for a trial: leave out --isolate": self.isolate and not declared.stops,
            "this suite is 'exclusive': its timings need one machine; use --executor local": exclusive and elsewhere,
            f"--timeout {self.timeout}: expected more than 0": self.timeout is not None and not self.timeout > 0,
            f"--memory {self.memory}: expected more than 0": self.memory is not None and not self.memory > 0,
            f"--retries {self.retries}: expected 0 or more": self.retries < 0,
        }
        if reason := next((reason for reason, refused in refusals.items() if refused), None):
            raise SuiteError(reason)
        # This process would run other code than the ids of the trials tell of.
        if declared.in_process and (edited := plan.fingerprints.edited_since_import()):
            raise SuiteError(
                f"{', '.join(edited)} was edited since it was imported, and --executor {name} would run the "
                "earlier code: start Python again"
            )
        chosen_trackers(plan.registry, self.tracking)
        jobs = 1 if exclusive else self.jobs  # one trial at a time disturbs no timing; a cluster knows its size
        if not exclusive and not elsewhere:
            processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            jobs = max(1, min(self.jobs or processors, len(plan.left)))
        return {"jobs": jobs, "memory": self.memory, **values}
