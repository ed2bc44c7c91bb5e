"""benchkit: plugin-based benchmarks for robust machine learning.

The public API. A plugin needs `hookimpl` and the declarations; a notebook needs `run` and `registry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchkit.data.files import require_file
from benchkit.plugin.declarations import (
    Adversary,
    Algorithm,
    Attack,
    Corruption,
    Data,
    DataFile,
    Dataset,
    DataUnavailableError,
    Evaluation,
    Metric,
    NotApplicableError,
)
from benchkit.plugin.manager import registry
from benchkit.plugin.spec import Run, hookimpl

if TYPE_CHECKING:
    from benchkit.conduct import run as run
    from benchkit.data.digest import digest_data as digest_data
    from benchkit.report.results import Results as Results

__version__ = "0.1.0"

__all__ = [
    "Adversary",
    "Algorithm",
    "Attack",
    "Corruption",
    "Data",
    "DataFile",
    "DataUnavailableError",
    "Dataset",
    "Evaluation",
    "Metric",
    "NotApplicableError",
    "Results",
    "Run",
    "digest_data",
    "hookimpl",
    "registry",
    "require_file",
    "run",
]

# Heavy parts are imported when they are first used: `benchkit --help` must not wait for numpy.
_LAZY = {
    "run": "benchkit.conduct",
    "Results": "benchkit.report.results",
    "digest_data": "benchkit.data.digest",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'benchkit' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value
