"""Running a share of rows again, of a run or of published ones, and comparing what comes of it."""

import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import benchkit
from benchkit import JournalError, ModelCheck, PublishError, Results, SuiteError, Verified, registry
from benchkit_results.join import matching_rows, trials_by_spot
from benchkit_results.publish import losses_of
from benchkit_results.rows import PublishedRow, RowLosses
from benchkit_results.stored import PUBLISHED, PublishedRun, Stored, open_stored, published_folders


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
    """Run a share of the rows that ended ok again, as `benchkit.run` runs them, by one worker.

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
    folder, rng = Path(reference), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="benchkit-verify-") as scratch:
        again = _Again(Path(scratch), tolerance)
        if str(reference) == PUBLISHED or published_folders(folder):
            if not trust:
                raise PublishError(
                    f"{reference}: verify runs what published suites name, which can execute anything; add --trust if "
                    "you trust who published them"
                )
            again.published(open_stored(reference), share, rng, plugins)
        else:
            for results in benchkit.load(reference).suites:
                again.verification.verified += benchkit.verify(results.folder, trust=trust)
                again.run(results, share, rng, trust)
        return again.verification


def _some(rows: Sequence[Any], share: float, rng: random.Random) -> Iterator[Any]:
    """A share of rows, at random, in their order."""
    count = min(len(rows), max(1, round(share * len(rows))))
    return (rows[place] for place in sorted(rng.sample(range(len(rows)), count)))


@dataclass
class _Again:
    """Runs rows again in a folder of its own, and notes what came of it."""

    folder: Path
    tolerance: float
    verification: Verification = field(default_factory=Verification)

    def run(self, results: Results, share: float, rng: random.Random, trust: bool) -> None:
        """Of one run."""
        plugins = benchkit.plugins_of_run(results.folder, trust, "verify runs trials of a run")
        suite = str(results.folder / "suite.yaml")
        chosen = list(_some([row for row in results.rows if row["status"] == "ok"], share, rng))
        preview = benchkit.plan(suite, out=self.folder, plugins=plugins)
        planned = {_labels(trial): trial["trial"] for trial in preview.trials}
        trials = {planned[_labels(row)]: row for row in chosen if _labels(row) in planned}
        if len(trials) < len(chosen):
            self.verification.not_run["the suite has no such trial any more"] += len(chosen) - len(trials)
        self._compare(trials, suite, plugins, lambda row: losses_of(results, row))

    def published(self, stored: Stored, share: float, rng: random.Random, plugins: Sequence[str | Path]) -> None:
        """Of published runs."""
        rows = [
            (run, row)
            for run in stored.runs.values()
            for row in run.rows
            if row["status"] == "ok" and not row.get("published_with")
        ]
        chosen = list(_some(rows, share, rng))
        for run in stored.runs.values():
            if of_run := [row for owner, row in chosen if owner is run]:
                self._published(run, of_run, plugins)

    def _published(self, run: PublishedRun, rows: Sequence[PublishedRow], plugins: Sequence[str | Path]) -> None:
        # Named by the suite, plugins declare what it names, and add no method to it.
        files = [*(str(Path(name).resolve()) for name in plugins), *benchkit.shipped_plugins(run.manifest["suite"])]
        suite = {**_with_repetitions(run.manifest["suite_as_run"], rows), "plugins": files}
        not_run = self.verification.not_run
        try:
            planned = benchkit.plan(suite, out=self.folder)
        except (SuiteError, JournalError) as error:
            not_run[f"{run.name}: {error}"] += len(rows)
            return
        (content,) = planned.contents
        by_spot = trials_by_spot(content, {trial["trial"]: trial for trial in planned.trials})
        matches, reasons = matching_rows(content["designs"], Stored(run.name, {run.name: run}))
        spots = {match.row["trial"]: (match.spot, match.entry) for match in matches}
        changed, asked = next(iter(reasons), "the suite does not ask this any more"), {spot for spot, _ in by_spot}
        trials: dict[str, Mapping[str, Any]] = {}
        for row in rows:
            if row["trial"] not in spots or spots[row["trial"]][0] not in asked:
                not_run[f"{run.name}: {changed}"] += 1
            elif (trial := by_spot.get(spots[row["trial"]])) is None:
                not_run[f"{run.name}: {row['algorithm']} is another method in the suite, or as installed here"] += 1
            else:
                # A run published with rows of another, which measured less, has columns of which these know nothing.
                measured = run.manifest["content"]["designs"][row["design"]]["metrics"]
                metrics = {name: value for name, value in row["metrics"].items() if name in measured}
                trials[trial] = {**row, "metrics": metrics}
        self._compare(trials, suite, (), lambda row: run.losses.get(row["trial"]))

    def _compare(
        self,
        trials: Mapping[str, Mapping[str, Any]],
        suite: str | Mapping[str, Any],
        plugins: Sequence[str | Path],
        losses: Callable[[Any], RowLosses | None],
    ) -> None:
        """Run trials, each of which is to give what a row says."""
        if not trials:
            return
        again = benchkit.run(
            suite, out=self.folder, plugins=plugins, only={"trial": list(trials)}, jobs=1, keep_models=True
        )
        if again.interrupted:  # what ended would hold for all that was to be run
            raise KeyboardInterrupt
        models = {model.trial: model.checks for model in benchkit.verify(again.folder, trust=True)}
        for now in again.rows:
            before = trials[now["trial"]]
            if now["status"] == "skipped":
                self.verification.not_run[str(now["error"])] += 1
                continue
            checks = list(self._metrics(before["metrics"], now["metrics"]))
            if (kept := losses(before)) is not None:
                rows = int.from_bytes(kept.tested).bit_count()
                same = rows - kept.differing(RowLosses.of(again.outcomes(now)), self.tolerance)
                checks.append(ModelCheck("test rows that lose the same", rows, same, same == rows))
            if now["status"] != "ok":
                checks = [ModelCheck(f"it ends ok ({now['error']})", 1.0, 0.0, False)]
            name = f"{now['algorithm']} on {now['dataset']}, {now['adversary']} {now['axis_value']}"
            checks += models.get(now["trial"], ())
            self.verification.verified.append(Verified(before["trial"], name, now["algorithm"], checks))

    def _metrics(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[ModelCheck]:
        metrics = registry().metrics
        for name, value in before.items():
            if name in now and not (name in metrics and metrics[name].measures_time):
                again = now[name]
                holds = value is again
                if value is not None and again is not None:
                    holds = abs(again - value) <= self.tolerance * max(1.0, abs(value))
                stated, computed = (math.nan if number is None else number for number in (value, again))
                yield ModelCheck(name, stated, computed, holds)


def _with_repetitions(suite: Mapping[str, Any], rows: Sequence[PublishedRow]) -> dict[str, Any]:
    """The suite with as many repetitions as rows have: what was added later is published beside an earlier text."""
    needed = 1 + max(row["repetition"] // (row["folds"] or 1) for row in rows)

    def grown(entry: Any) -> Any:
        split = entry.get("split") if isinstance(entry, Mapping) else None
        stated = split.get("repetitions") if isinstance(split, Mapping) else None
        if not isinstance(stated, int) or stated >= needed:
            return entry
        return {**entry, "split": {**entry["split"], "repetitions": needed}}

    return {**grown(suite), "datasets": [grown(entry) for entry in suite.get("datasets") or ()]}


def _labels(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells a trial from the others of its suite."""
    names = ("dataset", "dataset_params", "feature_values", "algorithm", "adversary", "adversary_params", "axis_value")
    return tuple(str(row.get(name)) for name in (*names, "repetition"))
