"""Published rows as a source of rows that stand beside a run's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchkit.published.as_run import twin_of
from benchkit.published.asked import Asked
from benchkit.published.join import join_published
from benchkit.published.matching import answered, names_of
from benchkit.published.stored import Stored, open_stored
from benchkit.report.results import Results


def open_published(place: str) -> PublishedRows:
    """The published rows of a folder, an address, or ``published``."""
    return PublishedRows(open_stored(place))


@dataclass(frozen=True)
class PublishedRows:
    """Rows of a folder or an address of published results; its methods are those of `benchkit.RowsBeside`."""

    stored: Stored

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """The trials that a published row which ended ok answers."""
        return answered(trials, content, self.stored)

    def join(self, results: Results, answered: Mapping[str, Mapping[str, Any]]) -> Results:
        """The results with the published rows of methods that were not run here."""
        places = results.manifest["content"]["places"] if answered else {}
        names = names_of((Asked(*places[trial]), fields) for trial, fields in answered.items())
        return join_published(results, self.stored, names)

    def counterpart(self, results: Results) -> Results:
        """The published rows of the run's own methods."""
        return twin_of(results, self.stored)
