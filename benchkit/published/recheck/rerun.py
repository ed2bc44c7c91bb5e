"""Running given published rows again, in this process, and comparing what came of it."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from benchkit.environment.place import is_satisfied_here
from benchkit.errors import one_line
from benchkit.execute.inline import InlineExecutor
from benchkit.journal import JournalError
from benchkit.plugin.declarations import DataUnavailableError, NotApplicableError
from benchkit.published.losses import RowLosses, differing, key_of
from benchkit.published.matching import Spot, entry_of, same_designs, spot_of
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored
from benchkit.published.strangers import harmless_part
from benchkit.session.past.verify import check_model
from benchkit.session.plan import plan
from benchkit.session.planned import Plan
from benchkit.session.request import Request
from benchkit.suite import yaml_text
from benchkit.suite.find import shipped
from benchkit.suite.load import load
from benchkit.suite.plan import Trial
from benchkit.suite.source import SuiteError
from benchkit.trial.fits.fit_cache import FitCache
from benchkit.trial.protocol import run_trial


@dataclass
class Rechecked:
    """What came of running published rows again.

    Attributes
    ----------
    agree, differ, not_run : int
        Rows.
    losses, losses_differ : int
        Test rows whose losses were published, and those of them that lose something else now.
    certificates, broken : int
        Checks of fitted models that hold, and that do not: what a model states, recomputed without its solver.
    differences, reasons : list of str
        Rows that differ, and why others could not be run.
    inconsistent : list of str
        Where a weaker attack did more damage than a stronger one, over all published rows.
    largest : float
        The largest difference of a metric, relative to the larger of 1 and its value.
    """

    agree: int = 0
    differ: int = 0
    not_run: int = 0
    losses: int = 0
    losses_differ: int = 0
    certificates: int = 0
    broken: int = 0
    differences: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    inconsistent: list[str] = field(default_factory=list)
    largest: float = 0.0

    def add(self, other: Rechecked) -> None:
        """Count what came of other rows."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            setattr(self, each.name, max(mine, theirs) if each.name == "largest" else mine + theirs)

    @property
    def ok(self) -> bool:
        """Whether all that was run agrees, and something was."""
        return self.agree > 0 and not (self.differ or self.broken or self.inconsistent)


def rerun(
    stored: Stored, rows: Sequence[PublishedRow], plugins: Sequence[str | Path], tolerance: float, trust: bool = False
) -> Rechecked:
    """Run published rows again, in this process.

    Parameters
    ----------
    stored : Stored
    rows : sequence of record
        Of `stored`, that ended ok.
    plugins : sequence of path
        Plugin files that declare methods of these rows.
    tolerance : float
        By how much a metric may differ, relative to the larger of 1 and its value.
    trust : bool, default=False
        Run what the published suites name, whatever that is; by default `harmless_part` of each.
    """
    told = Rechecked()
    by_suite: dict[str, list[PublishedRow]] = {}
    for row in rows:
        by_suite.setdefault(stored.index["contributions"][row["contribution"]]["suite_spec"], []).append(row)
    # As runs do it: with more BLAS threads the last bits of a product are others, and a stochastic method goes astray.
    with tempfile.TemporaryDirectory(prefix="benchkit-recheck-") as scratch, InlineExecutor() as executor:
        for spec, members in by_suite.items():
            as_run = stored.index["suites"][spec]["as_run"]
            if not trust:
                as_run, reasons = harmless_part(as_run)
                told.reasons += [f"{reason}; --trust runs it" for reason in reasons]
            if not (as_run.get("datasets") and as_run.get("algorithms")):
                told.not_run += len(members)
                continue
            _recheck_suite(stored, as_run, members, Path(scratch) / spec, plugins, tolerance, executor, told)
    return told


def _recheck_suite(
    stored: Stored,
    as_run: Mapping[str, Any],
    rows: Sequence[PublishedRow],
    folder: Path,
    plugins: Sequence[str | Path],
    tolerance: float,
    executor: InlineExecutor,
    told: Rechecked,
) -> None:
    folder.mkdir(parents=True)
    path = folder / "suite.yaml"
    # Named by the suite, plugins declare what it names, and add no method to it.
    known = [*(str(Path(name).resolve()) for name in plugins), *_shipped_plugins(str(as_run.get("name")))]
    path.write_text(yaml_text.write({**as_run, "plugins": known}), encoding="utf-8")
    try:
        planned = plan(Request(str(path), out=folder / "runs")).plan
    except (SuiteError, JournalError) as error:
        _not_run(told, rows, f"{as_run.get('name')}: {str(error).removeprefix(f'{path}')}".replace(str(folder), ""))
        return
    trials = _trials_by_spot(planned)
    designs = planned.content["designs"]
    same, reasons = same_designs(designs, stored.index["designs"])
    contributions = stored.index["contributions"]
    for row in rows:
        method = contributions[row["contribution"]]["methods"][row["method"]]
        if row["design"] not in same:
            _not_run(told, [row], reasons[0] if reasons else "its question is not the suite's any more")
            continue
        trial = trials.get((spot_of(same[row["design"]][0], row), entry_of(method)))
        if trial is None:
            _not_run(told, [row], f"{row['algorithm']} is not what is installed here under this name")
            continue
        losses = stored.losses(contributions[row["contribution"]]["file"]).get(key_of(row))
        _run_again(row, losses, trial, planned, tolerance, executor, told)


def _shipped_plugins(name: str) -> list[str]:
    """Plugin files of a shipped suite of this name: they are installed with benchkit, as its other code is."""
    place = shipped().get(name)
    return [] if place is None else [str((place.parent / file).resolve()) for file in load(name).suite.plugins]


def _trials_by_spot(planned: Plan) -> dict[tuple[Spot, str], Trial]:
    content = planned.content
    entries = {key: entry_of(method) for key, method in content["methods"].items()}
    trials = {}
    for trial_id, trial in planned.trials.items():
        design, method = content["places"][trial_id]
        fields = {"axis_value": trial.axis_value, "repetition": trial.repetition}
        trials[spot_of(design, fields), entries[method]] = trial
    return trials


def _run_again(
    row: PublishedRow,
    losses: RowLosses | None,
    trial: Trial,
    planned: Plan,
    tolerance: float,
    executor: InlineExecutor,
    told: Rechecked,
) -> None:
    models: list[Any] = []
    needed = planned.registry.algorithms[trial.algorithm.name].environment
    if needed is not None and not is_satisfied_here(needed):
        _not_run(told, [row], f"{row['algorithm']} runs in an environment of its own, and this process lacks {needed}")
        return
    try:
        with warnings.catch_warnings(record=True):  # the row tells of them
            work = partial(run_trial, keep=models.append, keep_rows="none" if losses is None else "losses")
            again = executor.submit(work, trial, FitCache(None), timeout=None)
        outcome = again.result()
    except (DataUnavailableError, NotApplicableError) as error:
        _not_run(told, [row], one_line(error))
        return
    except Exception as error:
        told.differ += 1
        told.differences.append(f"{trial.display_name}: ended ok when it was published, now {one_line(error)}")
        return
    known = planned.registry.metrics
    named = {name: value for name, value in row["metrics"].items() if name in trial.metrics}
    lasting = {name: value for name, value in named.items() if not known[name].measures_time}
    found = list(_differences(lasting, outcome["metrics"], tolerance, told))
    if losses is not None:
        count, others = differing(losses, outcome["outcomes"], tolerance)
        told.losses += count
        told.losses_differ += others
        found += [f"{others} of {count} test rows lose something else than was published"] if others else []
    told.agree += not found
    told.differ += bool(found)
    told.differences += [f"{trial.display_name}: {text}" for text in found]
    for check in check_model(trial, planned.registry, models[0]):
        told.certificates += check.holds
        told.broken += not check.holds
        if not check.holds:
            told.differences.append(f"{trial.display_name}: the model's own check of its {check.what} fails")


def _differences(
    published: Mapping[str, Any], now: Mapping[str, Any], tolerance: float, told: Rechecked
) -> Iterator[str]:
    for name, value in published.items():
        if name not in now:
            continue
        again = now[name]
        if value is None or again is None:
            if value is not again:
                yield f"{name} was {value}, now {again}"
            continue
        difference = abs(again - value) / max(1.0, abs(value))
        told.largest = max(told.largest, difference)
        if difference > tolerance:
            yield f"{name} was {value:.10g}, now {again:.10g}"


def _not_run(told: Rechecked, rows: Sequence[PublishedRow], why: str) -> None:
    told.not_run += len(rows)
    told.reasons.append(f"{len(rows)} rows: {why}" if len(rows) > 1 else why)
