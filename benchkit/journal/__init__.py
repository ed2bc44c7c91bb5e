"""The journal: records of trials, manifests of runs, kept models. The source of truth."""

from benchkit.errors import JournalError, PublishError
from benchkit.journal.manifest import (
    Manifest,
    find_group,
    owners,
    read_group,
    read_manifest,
    read_run,
    runs_of,
    write_group,
    write_manifest,
)
from benchkit.journal.store import Store, is_written, read_model, rows_of_other_suites
from benchkit.trial.record import Record, changed

__all__ = [
    "JournalError",
    "Manifest",
    "PublishError",
    "Record",
    "Store",
    "changed",
    "find_group",
    "is_written",
    "owners",
    "read_group",
    "read_manifest",
    "read_model",
    "read_run",
    "rows_of_other_suites",
    "runs_of",
    "write_group",
    "write_manifest",
]
