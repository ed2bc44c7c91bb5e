"""Reading the data of a file before a run, as its trials will."""

from __future__ import annotations

from benchkit.data.cache import cached
from benchkit.plugin.declarations import Data, Dataset
from benchkit.suite.plan import DatasetCell
from benchkit.trial.identity import Fingerprints
from benchkit.trial.prepared import check_loaded, parsed_content


def read(cell: DatasetCell, declared: Dataset, fingerprints: Fingerprints) -> Data:
    """The data of a cell that is not drawn; what was parsed of files is kept for the trials.

    Raises
    ------
    DataUnavailableError
        A file is not there.
    Exception
        Whatever the dataset's own code raises.
    """

    def load() -> Data:
        return check_loaded(declared.load(**cell.params), cell.name)

    if not declared.files and declared.paths is None:
        return load()
    content = parsed_content(cell, fingerprints)
    return cached(content, load)
