"""The results of a collection's run: those of its suites, and the file that says which runs they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.journal import JournalError
from benchkit.report.results import Results, load_results
from benchkit.report.verdict import Verdict

FILE = "collection.json"


@dataclass(frozen=True)
class CollectionResults:
    """Results of the suites of a collection that have run.

    Attributes
    ----------
    name, title : str
    folder : Path
        ``runs/<collection>/<id>``.
    results : list of Results
        In the order of the collection.
    manifest : mapping
        What is known of the run: command, machine, commit, when it started, profile.
    interrupted : bool
    """

    name: str
    title: str
    folder: Path
    results: Sequence[Results]
    manifest: Mapping[str, Any]
    interrupted: bool = False

    @property
    def ok(self) -> bool:
        """Whether every suite's trials ended ok."""
        return bool(self.results) and all(results.ok for results in self.results)

    def verdicts(self) -> Iterator[tuple[str, Verdict]]:
        """Every claim, after the name of its suite."""
        for results in self.results:
            for verdict in results.verdicts():
                yield results.suite, verdict


def write_collection(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write which runs belong to a collection's run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{FILE}.partial"
        partial.write_text(json.dumps(manifest, indent=1, default=str) + "\n", encoding="utf-8")
        partial.replace(folder / FILE)
    except OSError as error:
        raise JournalError(f"{folder}: cannot write here: {error.strerror or error}") from None


def find_collection(reference: str | Path) -> Path | None:
    """The folder of a collection's run: the one given, or the newest in the one given; None where there is none."""
    folder = Path(reference)
    if (folder / FILE).is_file():
        return folder
    found = sorted(folder.glob(f"*/{FILE}"))
    return found[-1].parent if found else None


def load_collection(folder: Path, greater_is_better: Mapping[str, bool]) -> CollectionResults:
    """Results of a collection's run on disk, finished or not.

    Parameters
    ----------
    folder : Path
        As `find_collection` returns it.
    greater_is_better : mapping of metric to bool
    """
    try:
        manifest = json.loads((folder / FILE).read_text(encoding="utf-8"))
        runs = {str(suite): str(run) for suite, run in manifest["runs"].items()}
        name, title = str(manifest["collection"]), str(manifest["title"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise JournalError(f"{folder / FILE}: not the manifest of a collection: {error}") from None
    out = folder.parent.parent
    results = [load_results(out / suite / run, greater_is_better) for suite, run in runs.items()]
    return CollectionResults(name, title, folder, results, manifest)
