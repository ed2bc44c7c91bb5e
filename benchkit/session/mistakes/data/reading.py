"""What there is to know of a dataset before a run, as its trials will see it."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchkit.data.kept import keep, kept
from benchkit.plugin.declarations import Data, Dataset, Features
from benchkit.suite.names import digest
from benchkit.suite.plan import PlannedDataset
from benchkit.trial.identity import Fingerprints

# Python shows these to nobody by default.
_FOR_DEVELOPERS = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@dataclass(frozen=True)
class Facts:
    """What of data decides who takes it, and whether what a suite names is in it.

    Attributes
    ----------
    n_columns, n_features : int
        Columns; and features, a group being one.
    feature_names, group_names : tuple of str
    target_name : str
    total_value : float or None
        The sum of the feature values that belong to the data.
    is_sparse, has_gaps : bool
    n_classes : int
        0 where numbers are predicted.
    """

    n_columns: int
    n_features: int
    feature_names: tuple[str, ...]
    group_names: tuple[str, ...]
    target_name: str
    total_value: float | None
    is_sparse: bool
    has_gaps: bool
    n_classes: int


def read(cell: PlannedDataset, declared: Dataset, fingerprints: Fingerprints) -> Facts:
    """The facts of a cell that is not drawn, kept by content: the next command need not load it, nor what loads it.

    Raises
    ------
    DataUnavailableError
        A file is not there.
    Exception
        Whatever the dataset's own code raises.
    """
    key = digest([cell.whole.identity, fingerprints.dataset(cell), _version()], 32)
    if (known := _kept(key)) is not None:
        return known
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        facts = _facts(load_data(cell, declared, fingerprints), declared)
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if all(issubclass(each.category, _FOR_DEVELOPERS) for each in caught):  # else it is loaded, and warns, each time
        keep("facts", key, asdict(facts))
    return facts


def load_data(cell: PlannedDataset, declared: Dataset, fingerprints: Fingerprints) -> Data:
    """The data of a cell that is not drawn, parsed once.

    Raises
    ------
    Exception
        As `read`.
    """
    # Loading imports scikit-learn, which takes longer than all else before a run.
    from benchkit.data.cache import cached
    from benchkit.trial.prepared import check_loaded, forget, parsed_content

    forget()  # files may have changed since this process read them

    def load() -> Data:
        return check_loaded(declared.load(**cell.whole.params), cell.name)

    if not declared.files and declared.paths is None:
        return load()
    return cached(parsed_content(cell, fingerprints), load)


def _facts(data: Data, declared: Dataset) -> Facts:
    from benchkit.trial.refusals import kind_of

    kind = kind_of(data.X, data.y, declared.task)
    return Facts(
        n_columns=int(data.X.shape[1]),
        n_features=Features(data.X.shape[1], data.groups).n_features,
        feature_names=tuple(map(str, data.feature_names)),
        group_names=tuple(map(str, data.group_names)),
        target_name=data.target_name,
        total_value=None if data.feature_values is None else float(data.feature_values.sum()),
        is_sparse=kind.is_sparse,
        has_gaps=kind.has_gaps,
        n_classes=kind.n_classes,
    )


def _kept(key: str) -> Facts | None:
    try:
        known: dict[str, Any] = kept("facts", key) or {}
        names = {name: tuple(map(str, known[name])) for name in ("feature_names", "group_names")}
        return Facts(**{**known, **names})
    except (AttributeError, TypeError, KeyError):
        return None


def _version() -> str:
    """What is kept by other code may say something else."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
