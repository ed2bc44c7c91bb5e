"""The suites of the papers, their published rows judged by the claims that the suites make today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchkit.published.as_run import suite_results
from benchkit.published.stored import Stored
from benchkit.report.results import Results
from benchkit.suite.load import load, load_collection
from benchkit.suite.source import SuiteError

PAPERS = "papers"
"""The shipped collection of all suites of papers."""
TABFSBENCH = (
    "tabfs-table",
    "tabfs-table-regression",
    "tabfs-correlation",
    "tabfs-closed-open",
    "tabfs-shared-frames",
    "tabfs-recoded",
)
"""The suites of a sixth paper, on columns absent at test time."""
BEYOND = ("modern-peers", "peers-incomplete", "peers-regression", *TABFSBENCH)
"""What goes beyond the five papers: today's methods, and a benchmark of today."""


@dataclass(frozen=True)
class Reproduced:
    """A suite of a paper.

    Attributes
    ----------
    paper : str
        As the collection names it: ``Dekel & Shamir 2008``; empty for what goes beyond the papers.
    source : str
        What of the paper it repeats.
    results : Results
    """

    paper: str
    source: str
    results: Results


def published_profile(stored: Stored, suite: str) -> str | None:
    """The profile to judge by: the paper's size, then a part of that, before any other."""
    profiles = {each["profile"] for each in stored.index["contributions"].values() if each["suite"] == suite}
    return next((name for name in ("paper", "part") if name in profiles), min(profiles, default=None))


def judged(stored: Stored, name: str, profile: str) -> Results:
    """The published rows of a suite, alone, with the claims that it makes today."""
    results = suite_results(stored, name, profile, beside=False)
    return replace(results, expectations=load(name, profile).suite.expect)


def reproduced(stored: Stored) -> Iterator[Reproduced]:
    """The published suites of the papers, in the collection's order, then those beyond."""
    whole = load_collection(PAPERS, "paper")
    papers = [name.strip() for name in whole.loaded.suite.source.split(";")]
    sources = {each.suite.name: each.suite.source for each in whole.suites}
    for name in (*sources, *BEYOND):
        profile = published_profile(stored, name)
        if profile is None:
            continue
        source = sources.get(name, "")
        paper = next((each for each in papers if source.startswith(each)), "")
        if named := re.match(r" \([^)]*\)", source.removeprefix(paper)) if paper else None:  # such as "(RoOFS)"
            paper += named[0]
        try:
            yield Reproduced(paper, source.removeprefix(paper).strip(" ,"), judged(stored, name, profile))
        except SuiteError:  # a profile that the suite of today does not have
            continue
