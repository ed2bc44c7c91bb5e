"""benchkit: plugin-based benchmarks for robust machine learning.

The public API. A plugin needs `hookimpl` and the declarations; a notebook needs `run` and `registry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.conduct import run
    from benchkit.conduct.merging import merge
    from benchkit.data.digest import digest_data
    from benchkit.data.files import require_file
    from benchkit.plugin.declarations import (
        Adversary,
        Algorithm,
        Attack,
        Check,
        Corruption,
        Data,
        DataFile,
        Dataset,
        DataUnavailableError,
        Evaluation,
        Executor,
        Metric,
        NotApplicableError,
        ReportSection,
        ReportTable,
    )
    from benchkit.plugin.manager import registry
    from benchkit.plugin.spec import Run, hookimpl
    from benchkit.report.results import Results

__version__ = "0.1.0"

__all__ = [
    "Adversary",
    "Algorithm",
    "Attack",
    "Check",
    "Corruption",
    "Data",
    "DataFile",
    "DataUnavailableError",
    "Dataset",
    "Evaluation",
    "Executor",
    "Metric",
    "NotApplicableError",
    "ReportSection",
    "ReportTable",
    "Results",
    "Run",
    "digest_data",
    "hookimpl",
    "merge",
    "registry",
    "require_file",
    "run",
]

# Every name is imported when it is first used: `benchkit --help` waits for none of them.
_HOME = dict.fromkeys(__all__, "benchkit.plugin.declarations") | {
    "Results": "benchkit.report.results",
    "Run": "benchkit.plugin.spec",
    "digest_data": "benchkit.data.digest",
    "hookimpl": "benchkit.plugin.spec",
    "merge": "benchkit.conduct.merging",
    "registry": "benchkit.plugin.manager",
    "require_file": "benchkit.data.files",
    "run": "benchkit.conduct",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'benchkit' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
