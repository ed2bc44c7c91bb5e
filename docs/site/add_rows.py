"""Add a run's rows to the published ones of its suite, whose journal is gone: ``python docs/site/add_rows.py RUN TO``.

``TO`` is the folder of the published run. A row of the run displaces one that answers the same with the same label.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchkit_results.publish import publish, write_published_manifest
from benchkit_results.rows import FILE, write_rows
from benchkit_results.stored import PublishedRun, as_text

CELL = ("dataset", "dataset_params", "group", "algorithm", "adversary", "adversary_params", "axis", "axis_value")
"""What repetitions share."""


def cell(row: Mapping[str, Any]) -> str:
    """Which repetitions a row stands among, as text."""
    return as_text([row[name] for name in CELL])


def added(new: PublishedRun, old: PublishedRun) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The new rows after those of the old run that they leave standing, and the manifest of both."""
    manifest = json.loads(json.dumps(old.manifest))
    manifest["origins"] |= new.manifest["origins"]
    names: dict[str, dict[str, str]] = {"design": {}, "method": {}}
    for kind, renamed in names.items():
        entries = manifest["content"][f"{kind}s"]
        of_old = {as_text(entry): name for name, entry in entries.items()}
        for name, entry in new.manifest["content"][f"{kind}s"].items():
            renamed[name] = of_old.get(as_text(entry), name)
            if entries.setdefault(renamed[name], entry) != entry:
                raise SystemExit(f"{kind} {name} is another in {old.folder}")
    cells = {cell(row): row["cell"] for row in old.rows}
    rows: list[dict[str, Any]] = [
        dict(
            row,
            cell=cells.get(cell(row), row["cell"]),
            **{kind: names[kind][row[kind]] for kind in ("design", "method")},
        )
        for row in new.rows
    ]
    displaced = {(cell(row), row["repetition"]) for row in rows}
    return [*(dict(row) for row in old.rows if (cell(row), row["repetition"]) not in displaced), *rows], manifest


def main(run: Path, folder: Path) -> None:
    """Write the rows of both into the folder; losses of test rows only where the folder has them."""
    old = PublishedRun(folder)
    with tempfile.TemporaryDirectory() as scratch:
        (published,) = publish([run], scratch, licence=old.manifest["licence"], losses=bool(old.losses))
        new = PublishedRun(published.folder)
        rows, manifest = added(new, old)
        losses = {**old.losses, **new.losses}
        write_rows(folder / FILE, rows, {row["trial"]: losses[row["trial"]] for row in rows if row["trial"] in losses})
    write_published_manifest(folder, manifest)
    print(f"{len(rows)} rows, {len(rows) - len(old.rows)} more")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
