"""benchkit: plugin-based benchmarks for robust machine learning.

The public API. A plugin needs `hookimpl` and the declarations; a notebook needs `plan`, `run` and `load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.data.digest import digest_data
    from benchkit.data.files import require_file
    from benchkit.data.parsed import parse_once
    from benchkit.errors import BenchkitError, RequestError
    from benchkit.execute.executor import (
        EndedError,
        ExecutorUnavailableError,
        OverMemoryError,
        OverTimeError,
        Usage,
        WorkerDiedError,
    )
    from benchkit.journal.errors import JournalError
    from benchkit.plugin.declarations import (
        Adversary,
        Algorithm,
        AttackContext,
        AttackResult,
        Check,
        Data,
        DataFile,
        Dataset,
        DataUnavailableError,
        Distribution,
        Environment,
        Executor,
        Features,
        Metric,
        MetricContext,
        NotApplicableError,
        ReportCell,
        ReportFormat,
        ReportSection,
        ReportTable,
        Tuner,
        TuningContext,
        TuningOverError,
    )
    from benchkit.plugin.manager import registry
    from benchkit.plugin.parameters import check_count, check_not_negative, check_positive
    from benchkit.plugin.spec import Run, hookimpl
    from benchkit.publish.errors import PublishError
    from benchkit.report.analysis import Analysis, SelectionError
    from benchkit.report.claims.verdict import Verdict
    from benchkit.report.results import Results
    from benchkit.report.statistics.comparisons import Comparison
    from benchkit.report.statistics.points import Point
    from benchkit.report.stored_results import load
    from benchkit.session.past.merge import merge
    from benchkit.session.past.verify import verify
    from benchkit.session.preview import Preview, plan
    from benchkit.session.progress import Progress
    from benchkit.session.run import run
    from benchkit.suite.source import SuiteError

__version__ = "0.2.0"

__all__ = [
    "Adversary",
    "Algorithm",
    "Analysis",
    "AttackContext",
    "AttackResult",
    "BenchkitError",
    "Check",
    "Comparison",
    "Data",
    "DataFile",
    "DataUnavailableError",
    "Dataset",
    "Distribution",
    "EndedError",
    "Environment",
    "Executor",
    "ExecutorUnavailableError",
    "Features",
    "JournalError",
    "Metric",
    "MetricContext",
    "NotApplicableError",
    "OverMemoryError",
    "OverTimeError",
    "Point",
    "Preview",
    "Progress",
    "PublishError",
    "ReportCell",
    "ReportFormat",
    "ReportSection",
    "ReportTable",
    "RequestError",
    "Results",
    "Run",
    "SelectionError",
    "SuiteError",
    "Tuner",
    "TuningContext",
    "TuningOverError",
    "Usage",
    "Verdict",
    "WorkerDiedError",
    "check_count",
    "check_not_negative",
    "check_positive",
    "digest_data",
    "hookimpl",
    "load",
    "merge",
    "parse_once",
    "plan",
    "registry",
    "require_file",
    "run",
    "verify",
]

# Every name is imported when it is first used: `benchkit --help` waits for none of them.
_HOME = dict.fromkeys(__all__, "benchkit.plugin.declarations") | {
    "Analysis": "benchkit.report.analysis",
    "BenchkitError": "benchkit.errors",
    "Comparison": "benchkit.report.statistics.comparisons",
    "EndedError": "benchkit.execute.executor",
    "ExecutorUnavailableError": "benchkit.execute.executor",
    "JournalError": "benchkit.journal.errors",
    "OverMemoryError": "benchkit.execute.executor",
    "OverTimeError": "benchkit.execute.executor",
    "Point": "benchkit.report.statistics.points",
    "Preview": "benchkit.session.preview",
    "Progress": "benchkit.session.progress",
    "PublishError": "benchkit.publish.errors",
    "RequestError": "benchkit.errors",
    "Results": "benchkit.report.results",
    "Run": "benchkit.plugin.spec",
    "SelectionError": "benchkit.report.analysis",
    "SuiteError": "benchkit.suite.source",
    "Usage": "benchkit.execute.executor",
    "Verdict": "benchkit.report.claims.verdict",
    "WorkerDiedError": "benchkit.execute.executor",
    "check_count": "benchkit.plugin.parameters",
    "check_not_negative": "benchkit.plugin.parameters",
    "check_positive": "benchkit.plugin.parameters",
    "digest_data": "benchkit.data.digest",
    "hookimpl": "benchkit.plugin.spec",
    "load": "benchkit.report.stored_results",
    "merge": "benchkit.session.past.merge",
    "parse_once": "benchkit.data.parsed",
    "plan": "benchkit.session.preview",
    "registry": "benchkit.plugin.manager",
    "require_file": "benchkit.data.files",
    "run": "benchkit.session.run",
    "verify": "benchkit.session.past.verify",
}


# Names of version 0.1, importable for one release more.
_RENAMED = {"Attack": "AttackContext", "Corruption": "AttackResult", "Evaluation": "MetricContext"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        import warnings

        now = _RENAMED[name]
        warnings.warn(f"benchkit.{name} is now benchkit.{now}", DeprecationWarning, stacklevel=2)
        return __getattr__(now)
    if name not in _HOME:
        raise AttributeError(f"module 'benchkit' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
