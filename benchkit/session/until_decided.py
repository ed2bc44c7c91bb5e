"""``--until-decided``: a suite is run again with a fifth more repetitions, until its questions are decided."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchkit.report.analysis import Analysis
from benchkit.report.questions import questions_of
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.session.loop import carry_out, run_plans
from benchkit.session.options import ExecutionOptions, Request
from benchkit.session.plan import plan_suites
from benchkit.session.provenance import suite_facts

GROWTH = 0.2
"""Share by which repetitions grow from look to look; what more looks would save is less than that."""


def run_until_decided(request: Request, options: ExecutionOptions) -> Results:
    """Run a suite, or a collection, with more and more repetitions; the last run has all of them, and the report.

    All cells of a suite get the same repetitions, each suite as many as its own questions take. No look begins after
    the time given. A look whose trials are all in the journal already is no run. Trackers, plots and ``on_finished``
    are the last run's.
    """
    started = time.perf_counter()
    looks = replace(options, tracking=False, plots=False, report=False, on_finished=None)
    ran: Counter[str] = Counter()
    reached: dict[str, int] = {}
    while True:
        collection, plans = plan_suites(request)
        looked_at: Sequence[Results]
        if any(plan.left for plan in plans):
            results = run_plans(collection, plans, looks, started)
            if results.interrupted:
                return results
            looked_at = results.suites
            ran.update({suite.suite: suite.ran for suite in looked_at})
        else:
            looked_at = [
                make_results(
                    plan.store.folder / "so-far",
                    {**suite_facts(plan), "until_decided": True},
                    list(plan.named_rows().values()),
                )
                for plan in plans
            ]
        further = {}
        for suite in looked_at:
            count = max(Counter(row["cell"] for row in suite.own_rows).values(), default=0)
            if count > reached.get(suite.suite, 0) and any(question.open for question in questions_of(suite)):
                further[suite.suite] = count + math.ceil(GROWTH * count)
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

    return carry_out(request, replace(options, on_finished=finished))
