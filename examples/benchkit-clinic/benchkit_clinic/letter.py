"""A report that fits into an e-mail."""

from __future__ import annotations

from benchkit import Analysis


def letter(analysis: Analysis) -> str:
    """The title, what the run answers, and how many trials that rests on."""
    results = analysis.results
    return (
        "\n".join([results.title or results.suite, "", *analysis.answers, "", f"({len(results.records)} trials)"])
        + "\n"
    )
