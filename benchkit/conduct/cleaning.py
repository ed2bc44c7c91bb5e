"""Removing what no manifest names: of a suite's folder, what its runs no longer need."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchkit.journal import JournalError, Store


@dataclass(frozen=True)
class Cleaned:
    """What was removed, or would be.

    Attributes
    ----------
    suite : str
    rows : int
        Lines of the journal.
    files : int
        Shared fits, kept models, tracebacks and what killed processes left half-written.
    megabytes : float
    """

    suite: str
    rows: int
    files: int
    megabytes: float


def clean(out: str | Path = "runs", *, dry: bool = False) -> list[Cleaned]:
    """Remove from each suite's folder what none of its manifests names.

    That is: journal lines of trials that no run names, and those that a later line of the same trial replaces; models
    of such trials; the store of shared fits, which no manifest names and the next run fills again.

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
        named = set(_named(store))
        kept = {trial: row for trial, row in store.read().items() if trial in named}
        lines = sum(1 for _ in store.journal.open("rb"))
        files = list(_unneeded(store, named))
        size = sum(path.stat().st_size for path in files) / 2**20
        if not dry:
            store.rewrite(kept.values())
            for path in files:
                path.unlink(missing_ok=True)
            shutil.rmtree(store.memo, ignore_errors=True)
        return Cleaned(store.folder.name, lines - len(kept), len(files), size)
    finally:
        store.close()


def _named(store: Store) -> Iterator[str]:
    for folder in store.runs():
        path = folder / "manifest.json"
        try:
            yield from json.loads(path.read_text(encoding="utf-8"))["trials"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise JournalError(f"{path}: not a manifest ({error}); remove its folder, or restore it") from None


def _unneeded(store: Store, named: set[str]) -> Iterator[Path]:
    yield from (path for path in store.memo.glob("**/*") if path.is_file())
    yield from (path for path in store.models.glob("*") if path.name.partition(".")[0] not in named)
    yield from (path for path in store.models.glob("*.partial") if path.name.partition(".")[0] in named)
    yield from store.folder.glob("*/*.partial")
