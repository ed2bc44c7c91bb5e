"""Removing what no manifest names: of a suite's folder, what its runs no longer need."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
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
    """Remove from each suite's folder what none of its manifests names.

    That is: journal lines that no run names, and those of a trial that another line of the same run replaces; models of
    trials that no run names; the store of shared fits, which no manifest names and the next run fills again.

    Parameters
    ----------
    out : path, default="runs"
        Output folder.
    dry : bool, default=False
        Only count.

    Raises
    ------
    JournalError
        A manifest cannot be read, or a run is writing.
    """
    folders = sorted(path.parent for path in Path(out).glob("*/trials.jsonl"))
    if not folders:
        raise JournalError(f"{out}: no suite's folder here")
    return [_clean_store(Store(folder.parent, folder.name), dry) for folder in folders]


def _clean_store(store: Store, dry: bool) -> Cleaned:
    store.open()
    try:
        wanted = set(_wanted(store))
        named = {trial for _, trial in wanted}
        kept = best(((row["run"], row["trial"]), row) for row in store.rows())
        kept = {key: row for key, row in kept.items() if key in wanted}
        with store.journal.open("rb") as journal:
            lines = sum(1 for _ in journal)
        files = list(_unneeded(store, named))
        size = sum(path.stat().st_size for path in files) / 2**20
        if not dry:
            store.rewrite(kept.values())
            for path in files:
                path.unlink(missing_ok=True)
            shutil.rmtree(store.fits, ignore_errors=True)
        return Cleaned(store.folder.name, lines - len(kept), len(files), size)
    finally:
        store.close()


def _wanted(store: Store) -> Iterator[tuple[str, str]]:
    """(run, trial) of each record that a manifest names."""
    for folder in store.runs():
        try:
            for trial, run in owners(read_manifest(folder), folder.name).items():
                yield run, trial
                yield folder.name, trial  # written anew under another name
        except JournalError as error:
            raise JournalError(f"{error}; remove its folder, or restore it") from None


def _unneeded(store: Store, named: set[str]) -> Iterator[Path]:
    yield from (path for path in store.fits.glob("**/*") if path.is_file())
    yield from (path for path in store.models.glob("*") if path.name.partition(".")[0] not in named)
    yield from (path for path in store.models.glob("*.partial") if path.name.partition(".")[0] in named)
    yield from store.folder.glob("*/*.partial")
