"""The loop of a run: each finished trial becomes a row, and every planned trial has one at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.journal import JournalError, PublishError, Record, RowsLostError, Store
from benchkit.journal.record import Compactor, copied
from benchkit.journal.rows import OutcomesWriter
from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.guard import PluginError, note_failure
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files, write_index
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.session.listeners import Listeners
from benchkit.session.plan import PlannedFields
from benchkit.session.progress import Progress
from benchkit.session.provenance import Provenance
from benchkit.session.reuse import NAMING, Reuse
from benchkit.trial.record import record

if TYPE_CHECKING:
    from benchkit.execute.loop import Loop


class Journaling:
    """Writes the records of one run, and holds them in little memory.

    Parameters
    ----------
    store : Store
        Open.
    folder : Path
        Of the run.
    outcomes : OutcomesWriter
        Takes the outcomes of rows.
    """

    def __init__(self, store: Store, folder: Path, outcomes: OutcomesWriter) -> None:
        self.store, self.folder = store, folder
        self.records: dict[str, Record] = {}
        self._outcomes = outcomes
        self._compactor = Compactor()

    def write(self, row: Mapping[str, Any], trace: str = "") -> None:
        """Write a record; its ``outcomes`` may be a `RowOutcomes`, or where these are already.

        Parameters
        ----------
        row : mapping
        trace : str, default=""
            The traceback of a trial that failed.

        Raises
        ------
        RowsLostError
            It cannot be written: a full disk, a folder that was deleted.
        """
        row = dict(row)
        try:
            if row.get("outcomes") is not None and not isinstance(row["outcomes"], str):
                row["outcomes"] = self._outcomes.append(row["trial"], row["outcomes"])
            self.store.append(row)
            if trace:
                self._write_traceback(row, trace)
        except JournalError as error:
            raise RowsLostError(f"{error}: mend that, and the same command runs what is missing") from None
        self.records[row["trial"]] = self._compactor.compact(row)

    def _write_traceback(self, row: Mapping[str, Any], trace: str) -> None:
        folder = self.folder / "tracebacks"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['trial']}.txt").write_text(trace, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise JournalError(f"{folder}: cannot write: {error.strerror or error}") from None


class RunLoop:
    """Carries out the trials that are left."""

    def __init__(
        self,
        reuse: Reuse,
        session: Run,
        provenance: Provenance,
        listeners: Listeners,
        watch: Progress,
        check_interrupts: Callable[[], None],
        asked_at: float,
    ) -> None:
        self.reuse, self.session, self.listeners, self.watch = reuse, session, listeners, watch
        self.provenance, self.check_interrupts = provenance, check_interrupts
        self.asked_at = asked_at  # by `time.perf_counter`
        store, keep = reuse.plan.store, reuse.plan.suite.keep
        outcomes = OutcomesWriter(session.out, store.folder.name, session.id, keep.mb * 1e6)
        self.journaling = Journaling(store, session.folder, outcomes)
        self.records = self.journaling.records
        self.records |= reuse.renamed_rows()

    def _journal_renamed(self, names: Iterable[str]) -> None:
        """Write reused records anew that are others here: called otherwise, or with other metrics."""
        for trial_id in names:
            row: Mapping[str, Any] = self.reuse.done[trial_id]
            now: Mapping[str, Any] = self.records[trial_id]
            if any(now[name] != row.get(name) for name in (*NAMING, "metric_code") if name != "profile"):
                self.journaling.write(
                    {**now, "run": self.session.id, "measured_in": row.get("measured_in") or row["run"]}
                )

    def run(self, loop: Loop | None, executor_stack: ExitStack, plots: bool, report: bool) -> Analysis:
        """Run what is left, if anything, and report; ``executor_stack`` ends the loop's executor."""
        interrupted = False
        try:
            self._journal_renamed(list(self.reuse.rows))
            with executor_stack:
                if loop is not None:
                    try:
                        self._execute(loop)
                    except PluginError as error:
                        note_failure(str(error), shown=True)
                        self.watch.warn(str(error))
            self._journal_unanswered()
        except KeyboardInterrupt:
            interrupted = True  # trials that have not ended have no row: the manifest has them
        finally:
            self.watch.ended()
        self.reuse.plan.fingerprints.edited_since_import()  # notes what this run has imported
        if not report:
            self.listeners.call("benchkit_run_stopped", run=self.session)
            return Analysis(self._results(interrupted))
        try:
            facts: dict[str, Any] = {} if interrupted else {"complete": True}
            self.provenance.note(**facts)
            own = self._results(interrupted)
            beside = self.reuse.plan.request.beside
            analysis = Analysis(own if beside is None else self._joined(own, beside))
            draws = plots and bool(self.reuse.left or self.reuse.plan.request.until_decided)
            write_files(analysis, self.session.folder, draws, self.provenance.manifest)
            write_index(self.session.out)
        except OSError as error:
            kept = f"the journal has its {len(self.records)} records"
            raise JournalError(f"{self.session.folder}: cannot write: {error.strerror or error}; {kept}") from None
        analysis.results = replace(analysis.results, seconds=time.perf_counter() - self.asked_at)
        self.listeners.call("benchkit_run_finished", run=self.session, records=own.rows, analysis=analysis)
        return analysis

    def _joined(self, own: Results, beside: RowsBeside) -> Results:
        """The results with the rows beside them; where none joins, that is said, and the run stands for itself."""
        trials = self.reuse.plan.trials
        try:
            joined: Results = beside.join(own, PlannedFields({name: trials[name] for name in self.reuse.published}))
            return joined
        except PublishError as error:
            if isinstance(error, PluginError):
                note_failure(str(error), shown=True)
            self.watch.warn(str(error))
            return own

    def _execute(self, loop: Loop) -> None:
        for finished in loop.run(self.reuse.left):
            self.watch.tick([trial.display_name for trial in loop.running()])
            if finished is not None:
                self._finish(*finished)
            self.check_interrupts()

    def _finish(self, row: dict[str, Any], trace: str) -> None:
        row["run"] = self.session.id
        ready = row.pop("ready_seconds", 0.0)  # of the worker, not of the trial
        if row["status"] == "ok":
            row["metric_code"] = self.reuse.plan.fingerprints.metric_code(self.reuse.trials[row["trial"]])
        self.journaling.write(row, trace)
        self.watch.finished({**row, "ready_seconds": ready})
        if self.listeners.listen_to("benchkit_trial_finished"):  # they get a copy, for they may change it
            self.listeners.call("benchkit_trial_finished", run=self.session, record=copied(self.records[row["trial"]]))

    def _journal_unanswered(self) -> None:
        """Every planned trial ends as a row: one that the executor has lost is an error, and not a smaller number."""
        unanswered = [(trial_id, trial) for trial_id, trial in self.reuse.left if trial_id not in self.records]
        for trial_id, trial in unanswered:
            self._finish(record(trial, trial_id, "crashed", reason="the executor returned nothing for this trial"), "")
        if unanswered:
            self.watch.warn(f"the executor returned nothing for {len(unanswered)} planned trials")

    def _results(self, interrupted: bool) -> Results:
        ordered = [self.records[trial_id] for trial_id in self.reuse.trials if trial_id in self.records]
        folder = self.session.folder
        sections = tuple(self.reuse.plan.registry.report_sections.values())
        return replace(
            make_results(folder, self.provenance.manifest, ordered, sections),
            ran=len(self.reuse.left),
            reused=len(self.reuse.rows),
            interrupted=interrupted,
        )
