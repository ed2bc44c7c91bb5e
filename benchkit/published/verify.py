"""Running a share of rows again, of a run or of published ones, and comparing what comes of it."""

from __future__ import annotations

import math
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchkit.environment.place import is_satisfied_here
from benchkit.execute.inline import InlineExecutor
from benchkit.journal import JournalError, Record, read_run, runs_of
from benchkit.journal.manifest import require_trust
from benchkit.journal.outcomes import Outcomes
from benchkit.plugin.declarations import DataUnavailableError, ModelCheck, NotApplicableError
from benchkit.plugin.manager import Registry, one_line
from benchkit.published.matching import Matching, entries_of, spot_of
from benchkit.published.rows import PublishedRow, RowLosses, losses_of_run, packed
from benchkit.published.stored import PUBLISHED, PublishedRun, Stored, open_stored, published_folders
from benchkit.session.past.again import Verified, check_model, replan
from benchkit.session.past.again import verify as verify_models
from benchkit.session.planning import plan
from benchkit.session.request import Request
from benchkit.suite import yaml_text
from benchkit.suite.load import load
from benchkit.suite.source import SuiteError, shipped
from benchkit.suite.trial import Trial
from benchkit.trial.fits import FitCache
from benchkit.trial.protocol import run_trial


@dataclass
class Verification:
    """What came of running rows again.

    Attributes
    ----------
    verified : list of Verified
        Each row that was run again, a check for each metric, for the losses of test rows, and for what its model
        states; and each model that a run has kept.
    not_run : Counter of str
        Why rows could not be run, and how many.
    """

    verified: list[Verified] = field(default_factory=list)
    not_run: Counter[str] = field(default_factory=Counter)

    @property
    def holds(self) -> bool:
        """Whether all that was checked holds, and something was."""
        return bool(self.verified) and all(verified.holds for verified in self.verified)


def verify(
    reference: str | Path,
    *,
    share: float = 0.02,
    tolerance: float = 1e-6,
    seed: int = 0,
    plugins: Sequence[str | Path] = (),
    trust: bool = False,
) -> Verification:
    """Run a share of the rows that ended ok again, in this process.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's or collection's (its newest run), or published results: a folder, or ``published``.
    share : float, default=0.02
        Of the rows, which are chosen at random; one at least.
    tolerance : float, default=1e-6
        By how much a metric, or a test row's squared error, may differ, relative to the larger of 1 and its value.
    seed : int, default=0
        Of the choice.
    plugins : sequence of path
        Plugin files that declare methods of published rows.
    trust : bool, default=False
        Also of a run that another made, or that was made elsewhere, and of published rows: what they name is executed.

    Raises
    ------
    JournalError, PublishError
    """
    folder = Path(reference)
    verification = Verification()
    rng = random.Random(seed)
    with InlineExecutor() as executor:  # as in a run: with more BLAS threads the last bits of a product are others
        if str(reference) == PUBLISHED or published_folders(folder):
            require_trust(folder, {}, trust, "verify runs what published suites name")
            _verify_published(open_stored(reference), share, rng, plugins, _Rerun(tolerance, executor, verification))
        else:
            for run in runs_of(reference):
                verification.verified += verify_models(run, trust=trust)
                _verify_run(run, share, rng, trust, _Rerun(tolerance, executor, verification))
    return verification


def _verify_run(run: Path, share: float, rng: random.Random, trust: bool, rerun: _Rerun) -> None:
    _, records, folder = read_run(run)
    again = replan(folder, trust, "verify runs trials of a run")
    outcomes = Outcomes(folder.parents[1])
    for record in _some([record for record in records if record["status"] == "ok"], share, rng):
        trial = again.trials.get(record["trial"])
        if trial is None:
            rerun.skip("the suite has no such trial any more")
        else:
            rerun(record, losses_of_run(record, outcomes), trial, again.registry)


def _verify_published(
    stored: Stored, share: float, rng: random.Random, plugins: Sequence[str | Path], rerun: _Rerun
) -> None:
    rows = [
        (run, row)
        for run in stored.runs.values()
        for row in run.rows
        if row["status"] == "ok" and not row.get("published_with")
    ]
    by_run: dict[str, list[PublishedRow]] = {}
    for run, row in _some(rows, share, rng):
        by_run.setdefault(run.name, []).append(row)
    for name, members in by_run.items():
        _verify_rows(stored.runs[name], members, plugins, rerun)


def _verify_rows(run: PublishedRun, rows: Sequence[PublishedRow], plugins: Sequence[str | Path], rerun: _Rerun) -> None:
    suite = run.manifest["suite_as_run"]
    with tempfile.TemporaryDirectory(prefix="benchkit-verify-") as scratch:
        path = Path(scratch) / "suite.yaml"
        # Named by the suite, plugins declare what it names, and add no method to it.
        files = [*(str(Path(name).resolve()) for name in plugins), *_shipped_plugins(run.manifest["suite"])]
        path.write_text(yaml_text.write({**suite, "plugins": files}), encoding="utf-8")
        try:
            planned = plan(Request(str(path), out=Path(scratch) / "runs")).plan
        except (SuiteError, JournalError) as error:
            rerun.skip(f"{run.name}: {one_line(error)}".replace(scratch, ""), len(rows))
            return
        entries, places = entries_of(planned.content), planned.content["places"]
        by_spot = {}
        for name, trial in planned.trials.items():
            at = {"axis_value": trial.axis_value, "repetition": trial.repetition}
            by_spot[spot_of(places[name][0], at), entries[places[name][1]]] = trial
        matching = Matching(planned.content["designs"], Stored(run.name, {run.name: run}))
        spots = {match.row["trial"]: (match.spot, match.entry) for match in matching.all()}
        changed = next(iter(matching.reasons), "the suite does not ask this any more")
        for row in rows:
            if row["trial"] not in spots:
                rerun.skip(f"{run.name}: {changed}")
            elif spots[row["trial"]] not in by_spot:
                rerun.skip(f"{run.name}: {row['algorithm']} is not what is installed here under this name")
            else:
                rerun(row, run.losses.get(row["trial"]), by_spot[spots[row["trial"]]], planned.registry)


def _shipped_plugins(name: str) -> list[str]:
    """Plugin files of a shipped suite of this name: they are installed with benchkit, as its other code is."""
    place = shipped().get(name)
    return [] if place is None else [str((place.parent / file).resolve()) for file in load(name).suite.plugins]


def _some(rows: Sequence[Any], share: float, rng: random.Random) -> Iterator[Any]:
    """A share of rows, at random, in their order."""
    count = min(len(rows), max(1, round(share * len(rows))))
    return (rows[place] for place in sorted(rng.sample(range(len(rows)), count)))


@dataclass(frozen=True)
class _Rerun:
    """Runs a row's trial again, and notes what came of it."""

    tolerance: float
    executor: InlineExecutor
    verification: Verification

    def skip(self, why: str, count: int = 1) -> None:
        """Note rows that could not be run."""
        self.verification.not_run[why] += count

    def __call__(self, row: Record, losses: RowLosses | None, trial: Trial, known: Registry) -> None:
        needed = known.algorithms[trial.algorithm.name].environment
        if needed is not None and not is_satisfied_here(needed):
            self.skip(f"{row['algorithm']} runs in an environment of its own, and this process lacks {needed}")
            return
        models: list[Any] = []
        checks: list[ModelCheck]
        try:
            with warnings.catch_warnings(record=True):  # the row tells of them
                work = partial(run_trial, keep=models.append, keep_rows="none" if losses is None else "losses")
                outcome = self.executor.submit(work, trial, FitCache(None), timeout=None).result()
            checks = [*self._metrics(row, trial, known, outcome), *self._losses(losses, outcome)]
            checks += check_model(trial, known, models[0])
        except (DataUnavailableError, NotApplicableError) as error:
            self.skip(one_line(error))
            return
        except Exception as error:
            checks = [ModelCheck(f"it ends ok ({one_line(error)})", 1.0, 0.0, False)]
        self.verification.verified.append(Verified(row["trial"], trial.display_name, trial.algorithm.label, checks))

    def _metrics(self, row: Record, trial: Trial, known: Registry, now: Mapping[str, Any]) -> Iterator[ModelCheck]:
        for name, value in row["metrics"].items():
            if name in trial.metrics and not known.metrics[name].measures_time and name in now["metrics"]:
                again = now["metrics"][name]
                if value is None or again is None:
                    holds = value is again
                else:
                    holds = abs(again - value) <= self.tolerance * max(1.0, abs(value))
                stated, computed = (math.nan if number is None else number for number in (value, again))
                yield ModelCheck(name, stated, computed, holds)

    def _losses(self, losses: RowLosses | None, now: Mapping[str, Any]) -> Iterable[ModelCheck]:
        if losses is None:
            return []
        rows = int.from_bytes(losses.tested).bit_count()
        again = None if now["outcomes"] is None else packed(now["outcomes"])
        same = rows - losses.differing(again, self.tolerance)
        return [ModelCheck("test rows that lose the same", rows, same, same == rows)]
