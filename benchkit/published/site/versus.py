"""Any two methods head to head: where which is better, by how much, and whether that is decided."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from benchkit.published.site.cases import Case
from benchkit.published.site.question import labels_of, rounded
from benchkit.published.site.shell import shell, site_asset
from benchkit.report.page.section import Section
from benchkit.statistics.estimate import LEVEL


def versus_page(cases: Sequence[Case]) -> str:
    """The page; paired differences of all pairs of all cases lie in it."""
    labels = labels_of(cases)
    methods = sorted({label for each in labels for label in each.values()})
    position = {label: place for place, label in enumerate(methods)}
    told = []
    for case, each in zip(cases, labels, strict=True):
        means = {answer.method: (rounded(answer.mean), rounded(answer.seconds)) for answer in case.answers}
        pairs = []
        for gap in case.gaps:
            low, high = gap.difference.interval(LEVEL, case.grid.limits_of_differences)
            ends = [rounded(low), rounded(high)]
            pairs.append(
                [position[each[gap.first]], position[each[gap.second]], rounded(gap.difference.mean), *ends, gap.told]
            )
        known = [[position[each[own]], *values] for own, values in means.items()]
        told.append(
            [
                f"{case.grid.metric} on {case.grid.panel}, {case.where}",
                case.shown.name,
                case.shown.address,
                case.shown.is_reduced,
                known,
                pairs,
            ]
        )
    text = json.dumps({"methods": methods, "cases": told}, separators=(",", ":")).replace("<", "\\u003c")
    options = "".join(f'<option value="{place}">{escape(name)}</option>' for place, name in enumerate(methods))
    html = (
        '<form class="question" id="pair"><label>this method <select id="first">'
        f'{options}</select></label><label>against <select id="second">{options}</select></label></form>'
        '<div id="said" role="status"></div><div id="pairs"></div>'
        '<noscript><p class="caution">Comparing needs JavaScript.</p></noscript>'
        f'<script type="application/json" id="gaps">{text}</script>'
        '<p class="note">Differences are paired by repetition: rows of both methods on the same splits under the same '
        "loss. Intervals are 95 % on new rows; decided is what stands after Holm's correction over all pairs of the "
        "case. The address holds the pair.</p>"
    )
    lead = "Paired differences, case by case"
    return shell(
        "Head to head", lead, [Section("Two methods", html)], here="versus.html", script=site_asset("versus.js")
    )
