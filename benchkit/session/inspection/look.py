"""Looking at the data that is at hand, and at what methods and adversaries ask of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from benchkit.plugin.manager import Registry
from benchkit.session.inspection.findings import Findings
from benchkit.session.inspection.of_adversaries import budget_mistakes, feature_mistakes, refused_adversaries
from benchkit.session.inspection.of_datasets import at_hand, former_names, label_mistakes, load, shadowed
from benchkit.session.inspection.of_methods import refused_methods
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import dataset_cells
from benchkit.suite.resolve import dataset_parameters
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry
from benchkit.suite.source import Location
from benchkit.trial.prepared import forget
from benchkit.trial.preprocessing import imputes
from benchkit.trial.refusals import DataKind, kind_of

Refused = dict[tuple[str, int], dict[str, str]]
"""By kind and position of an entry: why it does not take each dataset, by label."""


def inspect(loaded: Loaded, registry: Registry, plugins: tuple[str, ...], only: set[str] | None = None) -> Findings:
    """Look at the data that is at hand, and at what methods and adversaries ask of it.

    Each dataset is loaded once. Data that would be drawn, fetched, or take long to read is left alone.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    plugins : tuple of str
        Plugin files, absolute.
    only : set of str, optional
        Labels of the datasets that have trials left; all where None.
    """
    forget()  # files may have changed since this process read them
    findings = Findings()
    refused: Refused = defaultdict(dict)
    for position, entry in enumerate(loaded.suite.datasets):
        if entry.name not in registry.datasets or (only is not None and entry.display_name not in only):
            continue
        at: Location = ["datasets", position]
        declared = registry.datasets[entry.name]
        try:
            parameters = dataset_parameters(declared)
        except Exception:  # it cannot be imported, which is the plugin's mistake
            continue
        findings.mistakes.extend(str(loaded.source.error([*at, key], said)) for key, said in shadowed(entry, declared))
        for place, reason in refused_adversaries(loaded, registry, declared, entry.display_name):
            refused["adversaries", place][entry.display_name] = reason
        # What a method predicts is known without the data.
        for place, reason in refused_methods(loaded, registry, entry.display_name, DataKind(declared.task)):
            refused["algorithms", place][entry.display_name] = reason
        if any(name not in parameters for name in entry.params):
            continue  # no data is asked for by names that it does not know
        findings.warnings.extend(former_names(entry, declared, loaded.source, at))
        # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
        if not at_hand(declared) or (loaded.suite.axis and loaded.suite.axis.parameter.startswith("dataset.")):
            continue
        try:
            cells = dataset_cells(loaded.suite, entry, declared)
        except (ValueError, TypeError) as error:
            findings.mistakes.append(str(loaded.source.error(at, str(error))))
            continue
        for cell in cells:
            data = load(cell, declared, loaded, plugins, at, entry, findings)
            if data is None:
                continue
            findings.mistakes.extend(label_mistakes(entry, declared, data, loaded.source, at))
            findings.mistakes.extend(feature_mistakes(loaded, registry, cell, data))
            findings.mistakes.extend(budget_mistakes(loaded, registry, cell, data))
            kind = kind_of(data.X, data.y, declared.task, imputes(cell.preprocess))
            for place, reason in refused_methods(loaded, registry, cell.label, kind):
                refused["algorithms", place][cell.label] = reason
    _tell_refused(loaded, refused, findings)
    forget()
    # One mistake may be seen in many cells.
    return Findings(list(dict.fromkeys(findings.mistakes)), list(dict.fromkeys(findings.warnings)))


def _tell_refused(loaded: Loaded, refused: Refused, findings: Findings) -> None:
    """An entry that takes none of its datasets is a mistake; of one that takes some, those left out are warned of."""
    suite = loaded.suite
    listed: dict[str, Sequence[AlgorithmEntry | AdversaryEntry]]
    listed = {"algorithms": suite.algorithms, "adversaries": suite.adversaries}
    for (kind, position), reasons in refused.items():
        applies = set(listed[kind][position].datasets or [entry.display_name for entry in suite.datasets])
        for label, reason in reasons.items():
            said = str(loaded.source.error([kind, position], f"{reason} ({label})"))
            if applies <= reasons.keys():
                findings.mistakes.append(said)
            else:
                findings.warnings.append(f"{said}; its trials there will be skipped")
