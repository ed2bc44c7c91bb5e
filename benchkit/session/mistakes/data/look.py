"""Looking at the data that is at hand, and at what methods and adversaries ask of it."""

from __future__ import annotations

from collections.abc import Collection

from benchkit.plugin.declarations import Dataset
from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.data.of_adversaries import budget_mistakes, budgets_of_all, feature_mistakes
from benchkit.session.mistakes.data.of_data import label_mistakes, tell_unreadable
from benchkit.session.mistakes.data.of_datasets import at_hand, former_names, shadowed, too_many
from benchkit.session.mistakes.data.of_refusals import refused
from benchkit.session.mistakes.data.of_splits import file_mistake, split_mistakes
from benchkit.session.mistakes.data.reading import Limits, Unreadable, inspect
from benchkit.session.mistakes.findings import Findings
from benchkit.session.mistakes.names.parameters import dataset_parameters
from benchkit.suite.expand import planned_datasets
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location
from benchkit.trial.identity import Fingerprints


def look_at_data(
    loaded: Loaded,
    registry: Registry,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...],
    only: Collection[str] | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> Findings:
    """Look at the data that is at hand, and at what methods and adversaries ask of it.

    Each dataset is read in a worker process, unless what there is to know of it is known. Data that would be drawn,
    fetched, or take long to read is left alone.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        Under which parsed data is kept.
    plugins : tuple of str
        Plugin files.
    only : collection of str, optional
        Labels of the datasets that are looked at; all where None.
    limits : Limits, optional
        Of reading one of them.
    """
    suite, source = loaded.suite, loaded.source
    findings = Findings()
    cells: list[tuple[PlannedDataset, Dataset, DatasetEntry, Location]] = []
    for position, entry in enumerate(suite.datasets):
        if entry.name not in registry.datasets or (only is not None and entry.display_name not in only):
            continue
        at: Location = ["datasets", position]
        declared = registry.datasets[entry.name]
        try:
            parameters = dataset_parameters(declared)
        except Exception:  # it cannot be imported, which is the plugin's mistake
            continue
        findings.mistakes.extend(shadowed(entry, declared, source, at))
        findings.mistakes.extend(too_many(entry, declared, source, at))
        # What a declaration says is known without the data.
        findings.refuse(entry.display_name, refused(loaded, registry, declared, entry))
        # No data is asked for by names that it does not know.
        if all(name in parameters for name in entry.params):
            findings.warnings.extend(former_names(entry, declared, source, at))
            # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
            if at_hand(declared) and not (suite.axis is not None and suite.axis.parameter.startswith("dataset.")):
                try:
                    made = planned_datasets(suite, entry, declared)
                except (ValueError, TypeError) as error:
                    findings.mistakes.append(str(source.error(at, str(error))))
                    continue
                for cell in made:
                    if (unread := file_mistake(loaded, cell, declared, at)) is not None:
                        findings.mistakes.append(unread)
                    else:
                        cells.append((cell, declared, entry, at))
    seen = inspect([cell[:2] for cell in cells], fingerprints, plugins, suite.seed, limits)
    for (cell, declared, entry, at), facts in zip(cells, seen, strict=True):
        if isinstance(facts, Unreadable):
            tell_unreadable(facts, cell, declared, entry, source, at, findings)
            continue
        findings.mistakes.extend(label_mistakes(entry, declared, facts, source, at))
        findings.mistakes.extend(feature_mistakes(loaded, registry, cell, facts))
        findings.mistakes.extend(budget_mistakes(loaded, registry, cell, facts))
        split_mistakes(loaded, cell, facts, at, findings)
        findings.notes.extend(budgets_of_all(loaded, registry, cell, facts))
        findings.refuse(entry.display_name, refused(loaded, registry, declared, entry, cell, facts))
    return findings.told(loaded)
