"""Planning a run: which trials a suite has, and which of them are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.manager import registry
from benchkit.session.inspection.look import inspect
from benchkit.session.inspection.of_plugins import plugin_mistakes
from benchkit.session.planned import Planned, Request, make_planned
from benchkit.session.selection import Selection
from benchkit.session.shard import ALL, Shard
from benchkit.session.until_decided import check_limits, with_limits
from benchkit.suite.expand import blocks, planned_trials
from benchkit.suite.join import join
from benchkit.suite.load import load_collection
from benchkit.suite.loaded import Collection
from benchkit.suite.resolve import mistakes_of
from benchkit.suite.source import SuiteError, told_at_once
from benchkit.trial.identity import Fingerprints


def plan(suite: str, **options: Any) -> Planned:
    """Expand one suite and see what of it is already done. Parameters as for `plan_suites`.

    Raises
    ------
    SuiteError
        It is a collection of several.
    """
    collection, plans = plan_suites(suite, **options)
    if not collection.is_one:
        raise SuiteError(f"{collection.loaded.source.path}: 'include' makes it a collection of several suites")
    return plans[0]


def plan_suites(
    reference: str | Mapping[str, Any],
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    only: Mapping[str, str | Sequence[str]] | None = None,
    settings: Mapping[str, Any] | None = None,
    plugins: Sequence[str | Path] = (),
    add: Sequence[str] = (),
    shard: str | None = None,
    keep_models: bool = False,
    fresh: bool = False,
    until_decided: bool = False,
    within: float | None = None,
    most: int | None = None,
    against: RowsBeside | None = None,
) -> tuple[Collection, list[Planned]]:
    """Expand a suite, or all that a collection includes, and see what is already done. Parameters as for `run`.

    Returns
    -------
    collection : Collection
    plans : list of Planned
        One for each suite that has trials of the kind asked for.

    Raises
    ------
    SuiteError
        A suite cannot be planned, or no suite has a value of ``only``.
    """
    part = Shard.parse(shard) if shard else ALL
    check_limits(until_decided, within, most, only or {})
    request = Request(Path(out), part, keep_models, fresh, until_decided, against)
    selection = Selection(only or {})
    own_files = [str(Path(name).resolve()) for name in plugins]
    collection = load_collection(reference, profile, settings)
    plans: list[Planned] = []
    mistakes: list[str] = []
    for loaded in collection.suites:
        files = loaded.plugin_files(own_files)
        known = registry(files)
        # An installed plugin that is broken may have nothing to do with this suite; a file was asked for.
        if broken := [str(problem) for problem in known.problems if problem.plugin in known.files]:
            raise SuiteError("; ".join(broken))
        fingerprints = Fingerprints(known)
        joined = join(loaded, known, add, own_files)
        broken = plugin_mistakes(joined, known, fingerprints)
        planned: Planned | None = None
        try:
            broken = broken or mistakes_of(joined, known)
            if not broken:
                if until_decided:
                    joined = with_limits(joined, known, most)
                made = blocks(joined, known, files)
        except SuiteError as error:
            broken = [str(error)]
        if not broken:
            everything = planned_trials(made)
            trials = selection.of(everything)
            if not trials:
                continue
            planned = make_planned(joined, fingerprints, files, made, everything, trials, request)
        # Of a suite that cannot be planned, all data is looked at: its mistakes are told too.
        left = None if planned is None else {trial.dataset.label for _, trial in planned.left}
        findings = inspect(joined, known, fingerprints, left)
        mistakes += [*broken, *findings.mistakes]
        if planned is not None:
            plans.append(replace(planned, warnings=(*planned.warnings, *findings.warnings)))
    if mistakes:
        raise SuiteError(told_at_once(list(dict.fromkeys(mistakes))))
    selection.check()
    return collection, plans
