"""Checking a suite against the registry: every name, label and parameter must exist."""

from __future__ import annotations

from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.session.mistakes.names.adversaries import check_adversary
from benchkit.session.mistakes.names.algorithms import check_algorithm
from benchkit.session.mistakes.names.axis import check_axis
from benchkit.session.mistakes.names.claims import check_claims
from benchkit.session.mistakes.names.datasets import check_dataset
from benchkit.session.mistakes.names.labels import check_labels, check_references
from benchkit.session.mistakes.names.metrics import check_metric
from benchkit.session.mistakes.names.mistake import until_it_ends
from benchkit.session.mistakes.names.preparation import preparation_checks
from benchkit.suite.loaded import Loaded
from benchkit.suite.whole_suite import Suite


def name_mistakes(loaded: Loaded, registry: Registry) -> list[str]:
    """Every name, label and parameter that does not exist, each with its place.

    Imports the algorithms, adversaries and datasets that the suite names, to see their parameters.
    """
    suite = loaded.suite
    checks = [
        *(check_dataset(registry, position, entry) for position, entry in enumerate(suite.datasets)),
        *(check_algorithm(suite, registry, position, entry) for position, entry in enumerate(suite.algorithms)),
        *(check_adversary(registry, position, entry) for position, entry in enumerate(suite.adversaries)),
        *preparation_checks(suite, registry),
        *(check_metric(registry, name, ["metrics", position]) for position, name in enumerate(suite.metrics)),
    ]
    # Where an entry's own name is wrong, what refers to it may be right.
    if _are_named(suite, registry):
        checks += [check_references(suite), check_labels(suite), check_axis(suite, registry), check_claims(suite)]
    mistakes = [mistake for check in checks for mistake in until_it_ends(check)]
    return list(dict.fromkeys(str(loaded.source.error(each.at, each.message)) for each in mistakes))


def _are_named(suite: Suite, registry: Registry) -> bool:
    """Whether every entry's name is declared."""
    try:
        for kind in ("datasets", "algorithms", "adversaries"):
            for entry in getattr(suite, kind):
                registry.catalogue(kind)[entry.name]
    except UnknownNameError:
        return False
    return True
