"""What failed and why, where the numbers come from, and the suite as it was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.page.section import Cell, Row, Section, details, table
from benchkit.suite import yaml_text

_FOLDED = 12
# Long, or shown elsewhere.
_ELSEWHERE = ("trials", "positions", "suite_as_run", "feature_values", "seal", "content")


def failures(analysis: Analysis) -> Section | None:
    """Trials that did not end ok, with their reasons."""
    grouped: Counter[tuple[str, ...]] = Counter()
    for row in analysis.results.rows:
        if row["status"] != "ok":
            kind = "" if row["error_type"] in (None, row["status"]) else f"{row['error_type']}: "
            grouped[row["status"], row["algorithm"], row["dataset"], f"{kind}{row['error'] or ''}"] += 1
    if not grouped:
        return None
    rows: list[Row] = []
    for (status, algorithm, dataset, why), n in grouped.most_common():
        kind = "open" if status == "skipped" else "bad"
        rows.append([Cell(status, kind=f"badge {kind}"), algorithm, dataset, Cell(str(n), n), why])
    return Section("Trials that did not end ok", table(["status", "algorithm", "dataset", "trials", "reason"], rows))


def provenance(manifest: Mapping[str, Any]) -> Section:
    """The manifest: command, time, machine, versions, whatever it holds."""
    pairs = ((key, nested(manifest[key])) for key in manifest if key not in _ELSEWHERE)
    entries = "".join(f"<div><dt>{escape(key)}</dt><dd>{shown}</dd></div>" for key, shown in pairs)
    return Section("Provenance", f"<dl>{entries}</dl>")


def nested(value: Any) -> str:
    """Mappings and lists as nested definition lists."""
    if isinstance(value, Mapping):
        pairs = ((escape(str(key)), nested(item)) for key, item in value.items())
        entries = "".join(f"<div><dt>{key}</dt><dd>{item}</dd></div>" for key, item in pairs)
        listed = f"<dl>{entries}</dl>" if entries else "-"
        return details(f"{len(value)} entries", listed) if len(value) > _FOLDED else listed
    if isinstance(value, list | tuple):
        if len(value) > _FOLDED:
            return details(f"{len(value)} entries", "<br>".join(nested(item) for item in value))
        return "<br>".join(nested(item) for item in value) or "-"
    return escape("-" if value in (None, "") else str(value))


def suite_as_run(manifest: Mapping[str, Any]) -> Section:
    """The suite, profile and settings applied, as YAML that runs again."""
    text = yaml_text.write(manifest["suite_as_run"], width=110)
    return Section("Suite as run", f'<pre tabindex="0"><code>{escape(text)}</code></pre>')
