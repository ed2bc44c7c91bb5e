"""benchkit: plugin-based benchmarks for robust machine learning.

The public API. A plugin needs `hookimpl` and the declarations; a notebook needs `plan`, `run` and `load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.auditing.audit import audit
    from benchkit.auditing.report import AuditReport
    from benchkit.auditing.skore_checks import skore_checks
    from benchkit.data.cache import digest_data, parse_once
    from benchkit.data.columns import column_codes, column_moments, find_column
    from benchkit.data.files import require_file
    from benchkit.data.table import TableError, missing_texts, read_decided, read_table
    from benchkit.document.text import markdown_text
    from benchkit.errors import BenchkitError, JournalError, PublishError, RequestError, one_line
    from benchkit.execute.bare import bare_processes
    from benchkit.execute.executor import (
        EndedError,
        ExecutorUnavailableError,
        OverMemoryError,
        OverTimeError,
        WorkerDiedError,
    )
    from benchkit.execute.local import LocalExecutor
    from benchkit.judging.judge import judge
    from benchkit.judging.judgement import Judgement
    from benchkit.memory_limit import check_memory
    from benchkit.plugin.declarations import (
        Adversary,
        Algorithm,
        AttackContext,
        AttackResult,
        Categories,
        Command,
        Data,
        DataFile,
        Dataset,
        DataUnavailableError,
        Distribution,
        Environment,
        Executor,
        ExecutorOption,
        Features,
        FeatureValues,
        Metric,
        MetricContext,
        ModelCheck,
        NotApplicableError,
        PreprocessingStep,
        ReportCell,
        ReportFormat,
        ReportSection,
        ReportTable,
        RowsBeside,
        RowSource,
        SplitContext,
        SplitMethod,
        Tracker,
        TrackingError,
        Tuner,
        TuningContext,
        TuningOverError,
    )
    from benchkit.plugin.estimators import check_count, check_not_negative, check_positive
    from benchkit.plugin.manager import registry
    from benchkit.plugin.spec import Run, hookimpl
    from benchkit.report.analysis import Analysis, SelectionError
    from benchkit.report.claims.verdict import Verdict
    from benchkit.report.comparisons import Comparison
    from benchkit.report.points import Point
    from benchkit.report.results import Results
    from benchkit.report.stored_results import load
    from benchkit.session.past.again import verify
    from benchkit.session.past.merge import merge
    from benchkit.session.preview import Preview, plan
    from benchkit.session.progress import Progress
    from benchkit.session.run import run
    from benchkit.suite.names import dataset_name
    from benchkit.suite.source import SuiteError

__version__ = "0.2.0"

__all__ = [
    "Adversary",
    "Algorithm",
    "Analysis",
    "AttackContext",
    "AttackResult",
    "AuditReport",
    "BenchkitError",
    "Categories",
    "Command",
    "Comparison",
    "Data",
    "DataFile",
    "DataUnavailableError",
    "Dataset",
    "Distribution",
    "EndedError",
    "Environment",
    "Executor",
    "ExecutorOption",
    "ExecutorUnavailableError",
    "FeatureValues",
    "Features",
    "JournalError",
    "Judgement",
    "LocalExecutor",
    "Metric",
    "MetricContext",
    "ModelCheck",
    "NotApplicableError",
    "OverMemoryError",
    "OverTimeError",
    "Point",
    "PreprocessingStep",
    "Preview",
    "Progress",
    "PublishError",
    "ReportCell",
    "ReportFormat",
    "ReportSection",
    "ReportTable",
    "RequestError",
    "Results",
    "RowSource",
    "RowsBeside",
    "Run",
    "SelectionError",
    "SplitContext",
    "SplitMethod",
    "SuiteError",
    "TableError",
    "Tracker",
    "TrackingError",
    "Tuner",
    "TuningContext",
    "TuningOverError",
    "Verdict",
    "WorkerDiedError",
    "audit",
    "bare_processes",
    "check_count",
    "check_memory",
    "check_not_negative",
    "check_positive",
    "column_codes",
    "column_moments",
    "dataset_name",
    "digest_data",
    "find_column",
    "hookimpl",
    "judge",
    "load",
    "markdown_text",
    "merge",
    "missing_texts",
    "one_line",
    "parse_once",
    "plan",
    "read_decided",
    "read_table",
    "registry",
    "require_file",
    "run",
    "skore_checks",
    "verify",
]

# Every name is imported when it is first used: `benchkit --help` waits for none of them.
_HOME = dict.fromkeys(__all__, "benchkit.plugin.declarations") | {
    "Analysis": "benchkit.report.analysis",
    "AuditReport": "benchkit.auditing.report",
    "audit": "benchkit.auditing.audit",
    "skore_checks": "benchkit.auditing.skore_checks",
    "BenchkitError": "benchkit.errors",
    "Comparison": "benchkit.report.comparisons",
    "EndedError": "benchkit.execute.executor",
    "ExecutorUnavailableError": "benchkit.execute.executor",
    "JournalError": "benchkit.errors",
    "Judgement": "benchkit.judging.judgement",
    "LocalExecutor": "benchkit.execute.local",
    "OverMemoryError": "benchkit.execute.executor",
    "OverTimeError": "benchkit.execute.executor",
    "Point": "benchkit.report.points",
    "Preview": "benchkit.session.preview",
    "Progress": "benchkit.session.progress",
    "PublishError": "benchkit.errors",
    "RequestError": "benchkit.errors",
    "Results": "benchkit.report.results",
    "Run": "benchkit.plugin.spec",
    "SelectionError": "benchkit.report.analysis",
    "SuiteError": "benchkit.suite.source",
    "TableError": "benchkit.data.table",
    "Verdict": "benchkit.report.claims.verdict",
    "WorkerDiedError": "benchkit.execute.executor",
    "bare_processes": "benchkit.execute.bare",
    "check_count": "benchkit.plugin.estimators",
    "check_memory": "benchkit.memory_limit",
    "check_not_negative": "benchkit.plugin.estimators",
    "check_positive": "benchkit.plugin.estimators",
    "column_codes": "benchkit.data.columns",
    "column_moments": "benchkit.data.columns",
    "digest_data": "benchkit.data.cache",
    "find_column": "benchkit.data.columns",
    "dataset_name": "benchkit.suite.names",
    "hookimpl": "benchkit.plugin.spec",
    "judge": "benchkit.judging.judge",
    "load": "benchkit.report.stored_results",
    "markdown_text": "benchkit.document.text",
    "merge": "benchkit.session.past.merge",
    "missing_texts": "benchkit.data.table",
    "one_line": "benchkit.errors",
    "parse_once": "benchkit.data.cache",
    "plan": "benchkit.session.preview",
    "read_decided": "benchkit.data.table",
    "read_table": "benchkit.data.table",
    "registry": "benchkit.plugin.manager",
    "require_file": "benchkit.data.files",
    "run": "benchkit.session.run",
    "verify": "benchkit.session.past.again",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'benchkit' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
