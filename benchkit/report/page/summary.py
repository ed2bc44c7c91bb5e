"""What a colleague reads first: how much was run, how it ended, which claims stand, who is ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.page.section import Section
from benchkit.report.renderers.html import html_table, render
from benchkit.report.tables import overview


def summary(analysis: Analysis, manifest: Mapping[str, Any]) -> Section:
    """Tiles, description, answers, areas, cautions."""
    suite = manifest.get("suite_as_run", {})
    by_metric = [[grid for grid in analysis.grids if grid.metric == metric] for metric in analysis.metrics]
    overviews = [table for grids in by_metric if (table := overview(analysis, grids)) is not None]
    body = render(
        "page/summary.html",
        tiles=_tiles(analysis),
        said=[str(suite[key]).strip() for key in ("source", "description") if suite.get(key)],
        answers=analysis.answers,
        overviews=[html_table(table) for table in overviews],
        robustness_note=analysis.robustness_note,
        cautions=analysis.cautions,
        numbers=analysis.answers_in_numbers,
        folded=_folded(analysis),
    )
    return Section("Summary", body)


def _folded(analysis: Analysis) -> str:
    """What the fold holds."""
    count = len(analysis.cautions)
    cautions = [f"{count} caution{'' if count == 1 else 's'}"] if count else []
    numbers = ["the answer with its intervals"] if analysis.answers_in_numbers else []
    told = " and ".join([*cautions, *numbers])
    return told[:1].upper() + told[1:]


def _tiles(analysis: Analysis) -> list[tuple[str, str, str]]:
    """Name, number and class of each."""
    results = analysis.results
    ended = len(results.own_rows)
    beside = len(results.rows) - ended
    statuses = Counter(row["status"] for row in results.own_rows)
    ok = statuses["ok"]
    tiles = [("trials", f"{ended:,}" if results.planned in (None, ended) else f"{ended:,} of {results.planned:,}", "")]
    tiles.append(("ended ok", f"{ok:,}", "good" if ok == ended else ""))
    tiles += [("published rows", f"{beside:,}", "")] if beside else []
    tiles += [(status, f"{count:,}", "bad") for status, count in statuses.most_common() if status != "ok"]
    if analysis.verdicts:
        counts = Counter(verdict.outcome for verdict in analysis.verdicts)
        held, broken = counts["supported"], counts["contradicted"]
        kind = "good" if held == len(analysis.verdicts) else "bad" if broken else ""
        tiles.append(("claims supported", f"{held} of {len(analysis.verdicts)}", kind))
        tiles += [("claims contradicted", str(broken), "bad")] if broken else []
        tiles += [("claims undecided", str(counts["undecided"]), "")] if counts["undecided"] else []
    repetitions = len({row["repetition"] for row in results.rows})
    return [*tiles, ("algorithms", str(len(analysis.algorithms)), ""), ("repetitions", str(repetitions), "")]
