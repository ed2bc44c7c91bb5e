"""The results of a run, as Python sees them."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.journal import read_model, read_run
from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.plugin.manager import Registry, one_line, registry
from benchkit.report.audit import AuditFailure, audit
from benchkit.report.statistics import Point, points
from benchkit.report.verdict import Verdict, judge
from benchkit.suite.plan import NO_ADVERSARY
from benchkit.suite.schema import Expectation
from benchkit.trial.record import ENDED_WELL

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """Records of a run and what follows from them.

    Attributes
    ----------
    suite, title : str
    folder : Path
        The run's folder.
    records : list of dict
        One per trial that ended, in the order of the plan.
    metrics : list of str
    greater_is_better : mapping of metric to bool
    expectations : list of dict
    attack_order : mapping
        Which attacks are at least as strong as which, for `audit`.
    ran, reused : int
        Trials this invocation set out to run, and found done.
    planned : int or None
        Trials of the manifest, where known.
    seconds : float
    interrupted : bool
    report_sections : sequence of ReportSection
        What plugins add to every report.
    """

    suite: str
    title: str
    folder: Path
    records: Sequence[Mapping[str, Any]]
    metrics: Sequence[str]
    greater_is_better: Mapping[str, bool]
    expectations: Sequence[Mapping[str, Any]] = field(default_factory=list)
    attack_order: Mapping[str, Any] = field(default_factory=dict)
    ran: int = 0
    reused: int = 0
    planned: int | None = None
    seconds: float = 0.0
    interrupted: bool = False
    report_sections: Sequence[ReportSection] = ()

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The run's manifest, as its folder holds it."""
        found: Mapping[str, Any] = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        return found

    @property
    def statuses(self) -> Counter[str]:
        """How many records have each status."""
        return Counter(row["status"] for row in self.records)

    @property
    def ok(self) -> bool:
        """Whether every trial ended ok or was skipped for a reason, and at least one ended ok."""
        statuses = self.statuses
        return statuses["ok"] > 0 and all(status in ENDED_WELL for status in statuses)

    def points(self) -> list[Point]:
        """Means and standard errors along the axis."""
        return points(self.records, self.metrics)

    def verdicts(self) -> list[Verdict]:
        """The suite's expectations, judged."""
        found = []
        for expectation in self.expectations:
            metric = expectation["metric"] or self.metrics[0]
            found.append(judge(expectation, self.records, metric, self.greater_is_better.get(metric, False)))
        return found

    def audit(self) -> list[AuditFailure]:
        """Where a weaker attack did more damage than one that is declared to be at least as strong."""
        return audit(self.records, self.attack_order)

    def sections(self) -> list[tuple[str, ReportTable]]:
        """Title and table of each plugin's section that has something to say; one that fails says so in its note."""
        found = []
        for section in self.report_sections:
            try:
                table = section.make(self)
                if table is not None and not isinstance(table, ReportTable):
                    raise TypeError(f"returned a {type(table).__name__}, expected a benchkit.ReportTable or None")
            except Exception as error:
                table = ReportTable(columns=(), rows=(), note=f"report section {section.name!r}: {one_line(error)}")
            if table is not None:
                found.append((section.title or section.name, table))
        return found

    def to_pandas(self) -> pd.DataFrame:
        """All records as a table, one row per trial, with a column per metric; why a trial failed is in ``reason``."""
        import pandas as pd

        rows = []
        for record in self.records:
            row = {name: value for name, value in record.items() if name != "metrics"}
            row["reason"] = row.pop("error")  # a metric may be called error
            rows.append({**row, **{name: record["metrics"].get(name) for name in self.metrics}})
        return pd.DataFrame(rows)

    def load_model(self, trial: str) -> Any:
        """The fitted estimator of a trial, kept by ``--keep-models``.

        Parameters
        ----------
        trial : str
            Its id, or the beginning of it.
        """
        return read_model(self.folder.parent / "models", trial)

    def problems(self) -> list[tuple[int, str]]:
        """Trials that did not end ok, grouped: how many, and 'algorithm on dataset under adversary: status: why'."""
        grouped: Counter[str] = Counter()
        for row in self.records:
            if row["status"] != "ok":
                kind = "" if row["status"] == row["error_type"] else f"{row['error_type']}: "
                under = "" if row["adversary"] == NO_ADVERSARY else f" under {row['adversary']}"
                name = f"{row['algorithm']} on {row['dataset']}{under}: {row['status']}: {kind}{row['error']}"
                grouped[name] += 1
        return [(count, name) for name, count in grouped.most_common()]


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without the garbage collector, which finds no garbage among records, but walks all of them again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def load_results(reference: str | Path, greater_is_better: Mapping[str, bool] | None = None) -> Results:
    """Results of a run on disk, finished or not.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's folder, which stands for its newest run.
    greater_is_better : mapping of metric to bool, optional
        By default that of the metrics that are installed, and of those in the run's own plugin files that are still
        there. Unknown metrics count as losses.
    """
    with _collector_paused():
        manifest, records, folder = read_run(reference)
    suite = manifest["suite_as_run"]
    metrics = suite.get("metrics") or ["error"]
    directions = greater_is_better
    if directions is None:
        directions = manifest.get("greater_is_better") or _directions(manifest)
    blank = {name: field.default for name, field in Expectation.model_fields.items()}
    return Results(
        suite=manifest["suite"],
        title=manifest["title"],
        folder=folder,
        records=records,
        metrics=metrics,
        greater_is_better={name: directions.get(name, False) for name in metrics},
        expectations=[{**blank, **claim} for claim in suite.get("expect", [])],
        attack_order=manifest.get("attack_order", {}),
        planned=len(manifest["trials"]),
        report_sections=tuple(_known(manifest).report_sections.values()),
    )


def plugin_files(manifest: Mapping[str, Any]) -> list[Path]:
    """The plugin files that a run needed; they may be gone."""
    return [Path(path) for path in manifest.get("plugins") or manifest["suite_as_run"].get("plugins", ())]


def _directions(manifest: Mapping[str, Any]) -> dict[str, bool]:
    known = _known(manifest).metrics
    return {name: known[name].greater_is_better for name in known}


def _known(manifest: Mapping[str, Any]) -> Registry:
    """What is installed, and in the run's own plugin files that are still there."""
    return registry(tuple(str(path) for path in plugin_files(manifest) if path.is_file()))
