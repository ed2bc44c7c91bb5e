"""What pages about one suite share: its published rows, and sentences whose numbers these give."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from findings import WIDTH, told

from benchkit.published.as_run import suite_results
from benchkit.published.stored import open_stored
from benchkit.report.results import Results


def published(folder: str | Path, suite: str) -> Results:
    """The rows of a suite in its profile default, of all its texts; what other suites published is not read."""
    stored = open_stored(folder)
    mine = {key: each for key, each in stored.index["contributions"].items() if each["suite"] == suite}
    return suite_results(replace(stored, index={**stored.index, "contributions": mine}), suite, "default")


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
