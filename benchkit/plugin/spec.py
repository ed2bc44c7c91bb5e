"""Every hook of benchkit: the whole contract with plugins on one page.

A plugin is a module (or an object) that implements some of these with ``@benchkit.hookimpl``. It is found through the
entry-point group ``benchkit``, or named as a file by ``--plugin FILE.py`` or a suite's ``plugins:``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pluggy

from benchkit.plugin import declarations

PROJECT = "benchkit"

# The version of this contract. A plugin says which it was written for: ``benchkit_api = 1`` beside its hooks. It counts
# up when a plugin that keeps to the contract would stop working.
API = 1

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One invocation of a suite, as listeners see it.

    Attributes
    ----------
    suite, title, profile, id : str
    folder : Path
        ``runs/<suite>/<id>``.
    out : Path
        The output folder, ``runs``.
    planned : mapping of str to mapping
        Trial id to what identifies it (the fields of its future record), in order.
    metrics : sequence of str
    reused : sequence of mapping
        Records of earlier invocations that this one need not repeat.
    command : str
    results : callable
        Takes records of this run and returns `benchkit.Results` of them, for statistics of a part while it runs:
        ``run.results(records).points()``. Without records, what the suite says, such as ``until_decided``.
    """

    suite: str
    title: str
    profile: str
    id: str
    folder: Path
    out: Path
    planned: Mapping[str, Mapping[str, Any]]
    metrics: tuple[str, ...]
    reused: tuple[Mapping[str, Any], ...]
    command: str
    results: Callable[[Sequence[Mapping[str, Any]]], Any] = field(repr=False, compare=False)


@hookspec
def benchkit_algorithms() -> Iterable[declarations.Algorithm]:  # type: ignore[empty-body]
    """Return the algorithms of this plugin: scikit-learn estimators, and what a suite needs to know of them.

    Called once, when plugins are found, like the hooks below that return something; what is returned should name code
    by ``"module:attribute"`` strings, so that listing it imports nothing heavy.
    """


@hookspec
def benchkit_adversaries() -> Iterable[declarations.Adversary]:  # type: ignore[empty-body]
    """Return the adversaries of this plugin: what deletes or corrupts data within a budget."""


@hookspec
def benchkit_datasets() -> Iterable[declarations.Dataset]:  # type: ignore[empty-body]
    """Return the datasets of this plugin: files it can read, or generators."""


@hookspec
def benchkit_metrics() -> Iterable[declarations.Metric]:  # type: ignore[empty-body]
    """Return the metrics of this plugin: numbers from a fitted model, its predictions and the truth."""


@hookspec
def benchkit_report_sections() -> Iterable[declarations.ReportSection]:  # type: ignore[empty-body]
    """Return the sections that this plugin adds to every report, after the tables of means.

    A section that fails is named in its place, and the report goes on.
    """


@hookspec
def benchkit_report_formats() -> Iterable[declarations.ReportFormat]:  # type: ignore[empty-body]
    """Return the formats of this plugin: what a report is written as by ``benchkit report RUN --format NAME``."""


@hookspec
def benchkit_executors() -> Iterable[declarations.Executor]:  # type: ignore[empty-body]
    """Return the executors of this plugin: places where trials run, chosen by ``benchkit run --executor NAME``."""


@hookspec
def benchkit_tuners() -> Iterable[declarations.Tuner]:  # type: ignore[empty-body]
    """Return the tuners of this plugin: ways of searching for parameters, chosen by ``tune: {search: NAME}``."""


@hookspec
def benchkit_splits() -> Iterable[declarations.SplitMethod]:  # type: ignore[empty-body]
    """Return the split methods of this plugin: ways of dividing rows, chosen by ``split: {method: NAME}``."""


@hookspec
def benchkit_preprocessing_steps() -> Iterable[declarations.PreprocessingStep]:  # type: ignore[empty-body]
    """Return the preprocessing steps of this plugin, which suites name under ``preprocess``."""


@hookspec
def benchkit_trackers() -> Iterable[declarations.Tracker]:  # type: ignore[empty-body]
    """Return the trackers of this plugin: where runs are written to beside their folders, and shown.

    Unlike the hooks below, which hear of every run, a tracker hears of those that are to be tracked.
    """


@hookspec
def benchkit_row_sources() -> Iterable[declarations.RowSource]:  # type: ignore[empty-body]
    """Return the row sources of this plugin: rows of methods that need not be run, by ``--against NAME:PLACE``."""


@hookspec
def benchkit_commands() -> Iterable[declarations.Command]:  # type: ignore[empty-body]
    """Return the commands of this plugin, which ``benchkit`` has beside its own once the plugin is installed."""


@hookspec
def benchkit_run_started(run: Run) -> None:
    """Called in the parent process once the run's folder exists, before any worker starts."""


@hookspec
def benchkit_trial_finished(run: Run, record: Mapping[str, Any]) -> None:
    """Called in the parent process when a trial's record has been journalled, whatever its status."""


@hookspec
def benchkit_run_finished(run: Run, records: Iterable[Mapping[str, Any]], analysis: Any) -> None:
    """Called in the parent process at the end, also after an interruption, with the records of the whole manifest.

    ``analysis`` is the `benchkit.Analysis` of them that the report was written from; published rows that stand beside
    them are in it.
    """


@hookspec
def benchkit_run_stopped(run: Run) -> None:
    """Called in the parent process where a run ends before its report is written and `benchkit_run_finished` was heard.

    Ctrl-C or SIGTERM while it starts or reports, or an error such as a full disk: whoever shows the run as running ends
    it here, at once. What a process does that is killed by SIGKILL, nobody hears: see `Tracker`, ``end_killed``.
    """
