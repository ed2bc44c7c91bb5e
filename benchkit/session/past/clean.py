"""Removing what no manifest names: of a suite's folder, what its runs no longer need."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchkit.journal import JournalError, Store, owners, read_manifest
from benchkit.journal.store import best


@dataclass(frozen=True)
class Cleaned:
    """What was removed, or would be."""

    suite: str
    rows: int  # lines of the journal
    files: int  # shared fits, kept models, tracebacks and what killed processes left half-written
    megabytes: float


def clean(out: str | Path = "runs", *, dry: bool = False) -> list[Cleaned]:
    """Remove from each suite's folder what none of its manifests names, or only count it where ``dry``.

    That is: journal lines that no run names, and those of a trial that another line of the same run replaces; models of
    trials that no run names; the store of shared fits, which no manifest names and the next run fills again.
    """
    folders = sorted(path.parent for path in Path(out).glob("*/trials.jsonl"))
    if not folders:
        raise JournalError(f"{out}: no suite's folder here")
    return [_clean_store(Store(folder.parent, folder.name), dry) for folder in folders]


def _clean_store(store: Store, dry: bool) -> Cleaned:
    store.open()
    try:
        wanted: set[tuple[str, str]] = set()
        for folder in store.runs():
            try:
                origins = owners(read_manifest(folder), folder.name)
            except JournalError as error:
                raise JournalError(f"{error}; remove its folder, or restore it") from None
            # A reused record may have been written anew, under another name.
            wanted |= {(run, trial) for trial, origin in origins.items() for run in (origin, folder.name)}
        named = {trial for _, trial in wanted}
        rows = best(((row["run"], row["trial"]), row) for row in store.rows())
        kept = [row for key, row in rows.items() if key in wanted]
        with store.journal.open("rb") as journal:
            lines = sum(1 for _ in journal)
        models = [path for path in store.models.glob("*") if path.name.partition(".")[0] not in named]
        files = {*store.fits.rglob("*"), *models, *store.models.glob("*.partial"), *store.folder.glob("*/*.partial")}
        files = {path for path in files if path.is_file()}
        size = sum(path.stat().st_size for path in files) / 2**20
        if not dry:
            store.rewrite(kept)
            for path in files:
                path.unlink(missing_ok=True)
            shutil.rmtree(store.fits, ignore_errors=True)
        return Cleaned(store.folder.name, lines - len(kept), len(files), size)
    finally:
        store.close()
