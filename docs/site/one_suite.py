"""What pages about published suites share: their rows, and sentences whose numbers these give."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from findings import WIDTH, told

from benchkit.report.results import Results
from benchkit.suite.load import load
from benchkit_results.join import published_results
from benchkit_results.stored import Stored, open_stored

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


def published(folder: str | Path, suite: str) -> Results:
    """The rows of a suite in its profile default."""
    return published_results(open_stored(folder), suite, "default")


def published_profile(stored: Stored, suite: str) -> str | None:
    """The profile to judge by: the paper's size, then a part of that, before any other."""
    profiles = {profile for name, profile in stored.newest if name == suite}
    return next((name for name in ("paper", "part") if name in profiles), min(profiles, default=None))


def judged(stored: Stored, name: str, profile: str) -> Results:
    """The published rows of a suite, with the claims that it makes today."""
    return replace(published_results(stored, name, profile), expectations=load(name, profile).suite.expect)


def rows_of(stored: Stored, name: str) -> Results:
    """The rows by which a suite is judged; of ``SUITE/PROFILE`` those of that profile."""
    suite, _, profile = name.partition("/")
    return judged(stored, suite, profile or published_profile(stored, suite) or "paper")


def bullets(sentences: Iterable[Mapping[str, Any]], results: Results) -> str:
    """A list of Markdown, in the form of ``findings.yaml``; ``suite`` need not be said."""
    return "\n".join(
        textwrap.fill(
            f"- {told(_named(each, results.suite), lambda name: results)}",
            WIDTH,
            break_on_hyphens=False,
            subsequent_indent="  ",
        )
        for each in sentences
    )


def _named(sentence: Mapping[str, Any], suite: str) -> dict[str, Any]:
    numbers = {name: {"suite": suite, **said} for name, said in sentence.get("numbers", {}).items()}
    holds = [{"suite": suite, **claim} for claim in sentence.get("holds", ())]
    return {**sentence, "numbers": numbers, "holds": holds}
