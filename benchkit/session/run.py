"""Running a suite, perhaps until its questions are decided, for Python."""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.session.listeners import NotebookProgress, Progress
from benchkit.session.loop import ExecutionOptions, run_plans
from benchkit.session.plan import Request, plan_suites
from benchkit.session.provenance import suite_facts


def run(
    suite: str | Mapping[str, Any],
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    jobs: int | None = None,
    executor: str = "local",
    executor_options: Mapping[str, Any] | None = None,
    only: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    plugins: Sequence[str | Path] = (),
    add: Sequence[str] = (),
    timeout: float | None = None,
    memory: float | None = None,
    retries: int = 0,
    isolate: bool = False,
    shard: str | None = None,
    keep_models: bool = False,
    fresh: bool = False,
    against: str | Path | None = None,
    tracking: bool | str | Sequence[str] = False,
    plots: bool = False,
    until_decided: bool = False,
    within: float | None = None,
    most: int | None = None,
    progress: Progress | None = None,
    on_finished: Callable[[Analysis], None] | None = None,
) -> Results:
    """Run a suite, or all that a collection includes, and return the results.

    Nothing runs unless every suite can be planned. An interruption ends the suite that is running and leaves out the
    rest.

    Parameters
    ----------
    suite : str or mapping
        Name of a shipped suite, path of a YAML file, or what such a file says, as a mapping.
    profile : str, optional
        One of the suite's profiles.
    out : path, default="runs"
        Output folder.
    jobs : int, optional
        Worker processes; all processors by default, one if the suite is ``exclusive``.
    executor : str, default="local"
        Where trials run: ``local`` (worker processes), ``inline`` (this process), ``dask`` (a cluster), or what a
        plugin declares.
    executor_options : mapping, optional
        What the executor is told: names of its options, which ``benchkit show NAME`` lists, to values.
    only : mapping, optional
        Fields to values, or to sequences of values: run only trials that match.
    settings : mapping, optional
        Dotted suite keys to values that replace the suite's.
    plugins : sequence of path
        Plugin files. What one declares joins the suite, unless the suite names something of it itself.
    add : sequence of str
        Names of algorithms, adversaries, datasets and metrics that join the suite.
    timeout : float, optional
        Seconds a trial may take, from its start.
    memory : float, optional
        MB that a trial, its worker process and their children may hold.
    retries : int, default=0
        How often a trial is run again whose process died or whose machine was lost.
    isolate : bool, default=False
        Give each trial a fresh worker process.
    shard : str, optional
        ``"2/5"``: run the second of five parts; `benchkit.merge` joins them.
    keep_models : bool, default=False
        Store the fitted estimators, for `Results.load_model`.
    fresh : bool, default=False
        Run everything again, whatever the journal holds.
    against : str or Path, optional
        Published results: a folder, an address, or ``published``; or ``NAME:PLACE`` of a row source that a plugin
        declares. Methods whose rows there answer the suite's question are not run; their rows stand beside those that
        were.
    tracking : bool, str or sequence of str, default=False
        Log to MLflow, and to what else plugins declare; or to the trackers of these names alone. The command
        ``benchkit run`` does, unless told otherwise.
    plots : bool, default=False
        Draw plots into the run's folder.
    until_decided : bool, default=False
        Repeat until the suite's claims are decided; without claims, until it is known at every point which method is
        best, up to the suite's margin. The suite's ``repetitions: {least: 5, most: 200}`` are the fewest and the most.
    within : float, optional
        Seconds after which no further look begins.
    most : int, optional
        Repetitions at most, in place of the suite's.
    progress : Progress, optional
        Told what happens; by default a line of text in a notebook, and nobody elsewhere.
    on_finished : callable, optional
        Given the analysis of each suite's results when the suite has ended.

    Returns
    -------
    Results

    Raises
    ------
    SuiteError, JournalError
        The request cannot be carried out; one line says why.
    """
    asked_at = time.perf_counter()
    request = Request(suite, profile, out, only, settings, plugins, add, shard, keep_models, fresh, against)
    request = replace(request, until_decided=until_decided, within=within, most=most)
    if progress is None:
        ipython = sys.modules.get("IPython")  # a terminal, IPython's included, has no kernel
        in_notebook = ipython is not None and hasattr(ipython.get_ipython(), "kernel")
        progress = NotebookProgress() if in_notebook else Progress()
    options = ExecutionOptions(
        progress, executor, jobs, timeout, memory, retries, isolate, executor_options, tracking, plots, on_finished
    )
    return run_until_decided(request, options) if until_decided else run_plans(*plan_suites(request), options, asked_at)


def run_until_decided(request: Request, options: ExecutionOptions) -> Results:
    """Run a suite, or a collection, with more and more repetitions; the last run has all of them, and the report.

    All cells of a suite get the same repetitions, each suite as many as its own questions take. A look whose trials are
    all in the journal already is no run. Trackers, plots and ``on_finished`` are the last run's.
    """
    from benchkit.report.questions import questions_of

    started = time.perf_counter()
    looks = replace(options, tracking=False, plots=False, report=False, on_finished=None)
    ran: Counter[str] = Counter()
    reached: dict[str, int] = {}
    while True:
        collection, plans = plan_suites(request)
        looked_at: list[Results] = []
        if any(plan.left for plan in plans):
            results = run_plans(collection, plans, looks, started)
            if results.interrupted:
                return results
            looked_at += results.suites
            ended = {row["trial"] for suite in results.suites for row in suite.own_rows}
            request = replace(request, ended=request.ended | ended)
            ran.update({suite.suite: suite.ran for suite in looked_at})
        else:
            for plan in plans:
                facts, rows = {**suite_facts(plan), "until_decided": True}, list(plan.done.values())
                looked_at.append(make_results(plan.store.folder / "so-far", facts, rows, plan.registry))
        further = {}
        for suite in looked_at:
            count = max(Counter(row["cell"] for row in suite.own_rows).values(), default=0)
            if count > reached.get(suite.suite, 0) and any(question.open for question in questions_of(suite)):
                further[suite.suite] = count + math.ceil(0.2 * count)  # more looks would save less than that
            reached[suite.suite] = count
        if not further or (request.within is not None and time.perf_counter() - started >= request.within):
            break
        request = replace(request, repetitions={**request.repetitions, **further})

    def finished(analysis: Analysis) -> None:
        own = analysis.results
        new = ran[own.suite] + own.ran
        seconds = time.perf_counter() - started
        analysis.results = replace(own, ran=new, reused=max(0, own.ran + own.reused - new), seconds=seconds)
        if options.on_finished is not None:
            options.on_finished(analysis)

    asked_at = time.perf_counter()
    return run_plans(*plan_suites(request), replace(options, on_finished=finished), asked_at)
