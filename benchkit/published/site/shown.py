"""A published suite, read and analysed once for all pages that speak of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from benchkit.published.as_run import suite_results
from benchkit.published.rows import PublishedRow
from benchkit.published.site.panels import Panel, panels_of
from benchkit.published.site.shell import page_name
from benchkit.published.site.short_labels import identity_of
from benchkit.published.stored import Stored
from benchkit.report.analysis import Analysis


@dataclass(frozen=True)
class Shown:
    """A suite with a profile, as the site shows it.

    Attributes
    ----------
    suite, profile : str
    analysis : Analysis
    stored : Stored
    """

    suite: str
    profile: str
    analysis: Analysis
    stored: Stored

    @property
    def name(self) -> str:
        """The suite, and the profile where it is not the default one."""
        return self.suite if self.profile == "default" else f"{self.suite} ({self.profile})"

    @property
    def title(self) -> str:
        """The suite's title, or its name."""
        return self.analysis.results.title or self.suite

    @property
    def address(self) -> str:
        """Its page within the site."""
        return f"suite/{page_name(self.suite if self.profile == 'default' else f'{self.suite}-{self.profile}')}"

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Of the run that the published rows are shown as."""
        return self.analysis.results.manifest

    @cached_property
    def panels(self) -> list[Panel]:
        """Data sets under adversaries, of each metric."""
        return panels_of(self.analysis, self.profile)

    @property
    def rows(self) -> Sequence[PublishedRow]:
        """All of it that is published."""
        return cast(Sequence[PublishedRow], self.analysis.results.rows)

    @cached_property
    def methods(self) -> dict[str, str]:
        """The registered name of each method's label."""
        contributions = self.stored.index["contributions"]
        return {
            row["algorithm"]: contributions[row["contribution"]]["methods"][row["method"]]["question"]["name"]
            for row in self.rows
        }

    @cached_property
    def data(self) -> dict[str, set[str]]:
        """The registered names of the data sets behind each label, or behind a group's."""
        names: dict[str, set[str]] = {}
        for row in self.rows:
            name = self.asked(row)["dataset"]["name"]
            for label in (row["dataset"], row["group"]):
                if label:
                    names.setdefault(label, set()).add(name)
        return names

    @cached_property
    def adversaries(self) -> dict[str, str]:
        """The registered name of each adversary's label."""
        return {
            row["adversary"]: self.asked(row)["adversary"]["name"]
            for row in self.rows
            if self.asked(row)["adversary"] is not None
        }

    @cached_property
    def identities(self) -> dict[str, str]:
        """What each method's label stands for, whatever grid it is tuned over: of several, the most frequent."""
        contributions = self.stored.index["contributions"]
        counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for row in self.rows:
            counts[row["algorithm"]][row["contribution"], row["method"]] += 1
        identities = {}
        for label, parts in counts.items():
            told: Counter[str] = Counter()
            for (contribution, method), count in parts.items():
                told[identity_of(contributions[contribution]["methods"][method]["question"])] += count
            identities[label] = told.most_common(1)[0][0]
        return identities

    def asked(self, row: PublishedRow) -> Mapping[str, Any]:
        """The question that a row answers."""
        asked: Mapping[str, Any] = self.stored.index["designs"][row["design"]]["question"]
        return asked


def shown_suites(stored: Stored) -> list[Shown]:
    """All published suites.

    Raises
    ------
    PublishError, JournalError
    """
    pairs = dict.fromkeys((each["suite"], each["profile"]) for each in stored.index["contributions"].values())
    return [
        Shown(suite, profile, Analysis(suite_results(stored, suite, profile)), stored)
        for suite, profile in sorted(pairs)
    ]


def rows_of(shown: Shown, stored: Stored) -> list[str]:
    """The files of the rows that a suite's page shows."""
    contributions = stored.index["contributions"]
    return list(dict.fromkeys(contributions[row["contribution"]]["file"] for row in shown.rows))
