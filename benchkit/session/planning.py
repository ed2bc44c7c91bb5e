"""Planning a suite, or all that a collection includes: nothing runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchkit.check.reading import Limits
from benchkit.check.suite import find, other_fills, will_be_skipped
from benchkit.plugin.manager import registry
from benchkit.session.plan import Plan, make_plan
from benchkit.session.repetitions import check_most, with_limits
from benchkit.session.request import Request, Selection
from benchkit.session.reuse import Reuse, reuse_of
from benchkit.suite.expand import blocks, planned_trials
from benchkit.suite.join import join
from benchkit.suite.load import Collection, load_collection
from benchkit.suite.source import SuiteError, told_at_once
from benchkit.trial.identity import Fingerprints


def plan(request: Request) -> Reuse:
    """Expand one suite, which is no collection of several, and see what of it is already done."""
    collection, suites = plan_suites(request)
    if not collection.is_one:
        raise SuiteError(f"{collection.loaded.source.path}: 'include' makes it a collection of several suites")
    return suites[0]


def plan_suites(request: Request, limits: Limits = Limits()) -> tuple[Collection, list[Reuse]]:  # noqa: B008
    """Expand a suite, or all that a collection includes, and see what is done of those that have trials asked for.

    Parameters
    ----------
    request : Request
    limits : Limits, optional
        Of reading a data set, which a worker process does.
    """
    selection = Selection(request.only or {})
    own_files = [str(Path(name).resolve()) for name in request.plugins]
    collection = load_collection(request.suite, request.profile, request.settings)
    suites: list[Reuse] = []
    mistakes: list[str] = []
    for loaded in collection.suites:
        files = loaded.plugin_files(own_files)
        known = registry(files)
        # An installed plugin that is broken may have nothing to do with this suite; a file was asked for.
        if broken := [str(problem) for problem in known.problems if problem.plugin in known.files]:
            raise SuiteError("; ".join(broken))
        fingerprints = Fingerprints(known)
        joined = join(loaded, known, request.add, own_files)
        broken = find(joined, known, fingerprints, files).mistakes
        reuse: Reuse | None = None
        try:
            if not broken:
                if request.until_decided:
                    joined = with_limits(joined, known, request.most, request.repetitions.get(joined.suite.name, 0))
                made = blocks(joined, known, files)
                if request.until_decided:
                    check_most(joined, made)
        except SuiteError as error:
            broken = [str(error)]
        if not broken:
            everything = planned_trials(made)
            trials = selection.of(everything)
            if not trials:
                continue
            whole = make_plan(request, joined, fingerprints, files, made, everything, trials)
            if not (chosen := selection.by_id(whole.trials)):
                continue
            reuse = reuse_of(replace(whole, trials=chosen))
        # Of a suite that cannot be planned, all data is looked at: its mistakes are told too.
        left = None if reuse is None else {trial.dataset.label for _, trial in reuse.left}
        findings = find(joined, known, fingerprints, files, left, broken, limits)
        mistakes += findings.mistakes
        if reuse is not None:
            waiting = [trial for _, trial in reuse.left]
            skipped = () if findings.mistakes else will_be_skipped(waiting, known)
            fills = () if findings.mistakes else other_fills(waiting, known)
            warnings = (*_said_of_empty(reuse.plan), *findings.warnings, *skipped, *fills)
            suites.append(replace(reuse, warnings=warnings, notes=tuple(findings.notes)))
    if mistakes:
        raise SuiteError(told_at_once(list(dict.fromkeys(mistakes))))
    selection.check()
    return collection, suites


def _said_of_empty(plan: Plan) -> list[str]:
    if plan.trials:
        return []
    whole = " (with --until-decided a dataset, or a group of them, stays in one part)"
    return [
        f"{plan.suite.name}: --shard {plan.request.part} has no trials, for there are fewer parts to share"
        + (whole if plan.request.until_decided else "")
    ]
