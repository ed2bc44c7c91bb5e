"""Which adversaries and methods do not take the data."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.plugin.declarations import Dataset
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.session.mistakes.data.reading import Facts
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.schema import DatasetEntry
from benchkit.trial.refusals import DataKind, of_adversary, of_algorithm


def refused(
    loaded: Loaded,
    registry: Registry,
    declared: Dataset,
    dataset: DatasetEntry,
    cell: PlannedDataset | None = None,
    facts: Facts | None = None,
) -> Iterator[tuple[str, int, str]]:
    """Entries that do not take a dataset: their kind, their position, and why.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    declared : Dataset
    dataset : DatasetEntry
    cell, facts : PlannedDataset and Facts, optional
        One of the entry's cells with its data; without them, what the dataset's declaration decides.
    """
    label = dataset.display_name
    kind = DataKind(declared.task)
    if cell is not None and facts is not None:
        kind = DataKind(declared.task, facts.is_sparse, facts.has_gaps and not _imputes(cell), facts.n_classes)
    for position, adversary in enumerate(loaded.suite.adversaries):
        if adversary.name not in registry.adversaries or (adversary.datasets and label not in adversary.datasets):
            continue
        if reason := of_adversary(registry.adversaries[adversary.name], declared.task):
            yield "adversaries", position, f"{adversary.display_name} {reason}"
    for position, method in enumerate(loaded.suite.algorithms):
        if method.datasets is not None and label not in method.datasets:
            continue
        try:
            algorithm = registry.algorithms[method.name]
        except UnknownNameError:  # told elsewhere, as an adversary that is not known is
            continue
        if reason := of_algorithm(algorithm, method.params, kind):
            yield "algorithms", position, f"{method.display_name} {reason}"


def _imputes(cell: PlannedDataset) -> bool:
    from benchkit.trial.preprocessing import imputes  # which imports scikit-learn

    return imputes(cell.preprocess)
