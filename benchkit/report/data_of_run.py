"""The data set behind a run's records, loaded again: its columns say more of a row than what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.errors import RequestError, one_line
from benchkit.journal import Record
from benchkit.plugin.manager import registry
from benchkit.report.results import Results
from benchkit.suite.names import dataset_name

if TYPE_CHECKING:
    from benchkit.plugin.declarations import Data
    from benchkit.trial.outcomes import TestPart


class NoDataError(RequestError):
    """The data of a run cannot be had again; the message is one line for the user."""


@dataclass
class DataOfRun:
    """Data sets of a suite's run.

    Parameters
    ----------
    results : Results
        Of one suite.
    plugins : tuple of str, default=()
        Plugin files that declare data sets.
    """

    results: Results
    plugins: tuple[str, ...] = ()

    def of(self, record: Record) -> Data:
        """The data set of a record, as the suite's parameters load it.

        Raises
        ------
        NoDataError
            It was generated, is not declared here, does not load, or has another number of rows than it had.
        """
        name = dataset_name(record["dataset"], record["dataset_params"])
        if record.get("generated"):
            raise NoDataError(f"{name} is generated anew for each repetition: its rows have no columns to go back to")
        declared = registry(self.plugins).datasets.get(self._declared_name(record["dataset"]))
        if declared is None:
            raise NoDataError(f"{name} is declared by no plugin that is installed: name its file with --plugin FILE")
        from benchkit.trial.prepared import check_loaded

        try:
            data = check_loaded(declared.load(**record["dataset_params"]), name)
        except Exception as error:  # of a plugin, or a file that has moved
            raise NoDataError(f"{name} does not load: {one_line(error)}") from None
        if record.get("n_rows") not in (None, len(data.y)):
            was = f"it had {record['n_rows']} rows and has {len(data.y)}"
            raise NoDataError(f"{name} has changed since the run: {was}; run the suite again")
        return data

    def _declared_name(self, label: str) -> str:
        """The name that a plugin declares a data set by, of the label that the suite gave it."""
        for entry in self.results.manifest.get("suite_as_run", {}).get("datasets", ()):
            if isinstance(entry, Mapping) and entry.get("label") == label:
                return str(entry["name"])
        return label


def check_same_rows(data: Data, part: TestPart, name: str) -> None:
    """Refuse data whose rows are not those that a run was tested on.

    Raises
    ------
    NoDataError
    """
    import numpy as np

    there = np.asarray(data.y)[part.rows]
    if part.classes is None:
        same = np.allclose(there.astype(float), part.truth.astype(float), equal_nan=True)
    else:
        same = bool((np.asarray(part.classes)[part.truth].astype(str) == there.astype(str)).all())
    if not same:
        raise NoDataError(f"{name} has changed since the run: its rows have other labels now; run the suite again")
