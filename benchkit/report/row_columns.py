"""Raw columns of the rows that a run was tested on, which metrics and weights are computed with afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchkit.journal import Record
from benchkit.plugin.declarations import NotApplicableError
from benchkit.report.data_of_run import DataOfRun, NoDataError, check_same_rows

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations import Categories, Data
    from benchkit.trial.outcomes import TestPart


@dataclass
class RowColumns:
    """The columns of a run's data sets, by name.

    Parameters
    ----------
    source : DataOfRun
    """

    source: DataOfRun
    _loaded: dict[str, Data | str] = field(default_factory=dict)

    def __call__(self, record: Record, names: Sequence[str], part: TestPart) -> dict[str, np.ndarray]:
        """For each name the values of a trial's test rows, shape (n_test,); categories as their names, None if missing.

        Raises
        ------
        NotApplicableError
            The data cannot be had again, is another now, or has no such column.
        """
        from benchkit.data.columns import find_column

        key = str([record["dataset"], record["dataset_params"]])
        if key not in self._loaded:
            try:
                self._loaded[key] = self.source.of(record)
            except NoDataError as error:
                self._loaded[key] = str(error)
        data = self._loaded[key]
        if isinstance(data, str):
            raise NotApplicableError(data)
        try:
            check_same_rows(data, part, str(record["dataset"]))
            return {name: _values(find_column(data, name))[part.rows] for name in names}
        except (NoDataError, ValueError) as error:
            raise NotApplicableError(f"{record['dataset']}: {error}") from None


def _values(column: np.ndarray | Categories) -> np.ndarray:
    import numpy as np

    from benchkit.plugin.declarations import Categories

    if not isinstance(column, Categories):
        return np.asarray(column)
    names = np.array([*map(str, column.names), None], dtype=object)
    found: np.ndarray = names[column.codes]  # the code of a missing value is -1
    return found
