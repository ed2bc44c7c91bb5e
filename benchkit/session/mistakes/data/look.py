"""Looking at the data that is at hand, and at what methods and adversaries ask of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.data.of_adversaries import budget_mistakes, feature_mistakes
from benchkit.session.mistakes.data.of_data import label_mistakes, tell_unreadable
from benchkit.session.mistakes.data.of_datasets import at_hand, former_names, shadowed, too_many
from benchkit.session.mistakes.data.of_refusals import refused
from benchkit.session.mistakes.data.of_splits import file_mistake, look_at_split
from benchkit.session.mistakes.data.reading import read
from benchkit.session.mistakes.findings import Findings
from benchkit.session.mistakes.names.parameters import dataset_parameters
from benchkit.suite.expand import planned_datasets
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.source import Location
from benchkit.trial.identity import Fingerprints


def look_at_data(
    loaded: Loaded, registry: Registry, fingerprints: Fingerprints, only: Collection[str] | None = None
) -> Findings:
    """Look at the data that is at hand, and at what methods and adversaries ask of it.

    Each dataset is loaded, unless what there is to know of it is known. Data that would be drawn, fetched, or take long
    to read is left alone.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        Under which parsed data is kept.
    only : collection of str, optional
        Labels of the datasets that are looked at; all where None.
    """
    suite, source = loaded.suite, loaded.source
    along_data = suite.axis is not None and suite.axis.parameter.startswith("dataset.")
    findings = Findings()
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
        cells: Sequence[PlannedDataset] = ()
        # No data is asked for by names that it does not know.
        if all(name in parameters for name in entry.params):
            findings.warnings.extend(former_names(entry, declared, source, at))
            # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
            if at_hand(declared) and not along_data:
                try:
                    cells = planned_datasets(suite, entry, declared)
                except (ValueError, TypeError) as error:
                    findings.mistakes.append(str(source.error(at, str(error))))
        for cell in (None, *cells):
            facts = None  # at first: what a declaration says is known without the data
            if cell is not None:
                if (unread := file_mistake(loaded, cell, declared, at)) is not None:
                    findings.mistakes.append(unread)
                    continue
                try:
                    facts = read(cell, declared, fingerprints)
                except Exception as error:
                    tell_unreadable(error, cell, declared, entry, source, at, findings)
                    continue
                findings.mistakes.extend(label_mistakes(entry, declared, facts, source, at))
                findings.mistakes.extend(feature_mistakes(loaded, registry, cell, facts))
                findings.mistakes.extend(budget_mistakes(loaded, registry, cell, facts))
                look_at_split(loaded, cell, declared, fingerprints, at, findings)
            for kind, place, reason in refused(loaded, registry, declared, entry, cell, facts):
                findings.refused[kind, place][entry.display_name] = reason
    return findings.told(loaded)
