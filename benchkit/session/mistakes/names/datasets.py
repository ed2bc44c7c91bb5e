"""Names and parameters of datasets."""

from __future__ import annotations

from benchkit.plugin.declarations import Dataset
from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.names.known import look_up
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.session.mistakes.names.parameters import check_params, dataset_parameters, parameters_of
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location


def check_dataset(registry: Registry, position: int, entry: DatasetEntry) -> Mistakes:
    """A dataset's name, its parameters, and the files that they name."""
    at: Location = ["datasets", position]
    dataset: Dataset = look_up(registry.datasets, entry.name, [*at, "name"])
    parameters_of(dataset.load, at)  # where it cannot be imported, that is the mistake
    former = getattr(dataset.expand.resolve(), "former", ()) if dataset.expand is not None else ()
    yield from check_params(entry.params, dataset_parameters(dataset), entry.name, at, former)
    if dataset.paths is not None:
        try:
            dataset.paths(**entry.params)
        except (TypeError, ValueError) as error:
            yield MistakeError([*at, "path"], str(error))
