"""What a report says of published rows: where they come from, with which code, and what their seconds mean here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from benchkit.journal import Record
from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.published.machine import in_probes, speed_ratio
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored
from benchkit.report.results import Results
from benchkit.session.speed import is_probe


def origin_section(
    by_method: Mapping[str, Sequence[str]],
    records: Iterable[Record],
    stored: Stored,
    here: Mapping[str, Any],
) -> ReportSection:
    """Who published each method's rows, when, and which versions are others than here.

    Parameters
    ----------
    by_method : mapping of label to contributions
    records : iterable of record
        The joint ones.
    stored : Stored
    here : mapping
        Versions of the distributions of the run that they join.
    """
    counts: dict[str, int] = defaultdict(int)
    for row in records:
        if row.get("published"):
            counts[str(row["algorithm"])] += 1
    rows = []
    for label, keys in by_method.items():
        known = [stored.index["contributions"][key] for key in keys]
        commits = dict.fromkeys(
            (each["commit"] or "-")[:10] + (" with changes" if each["uncommitted_changes"] else "") for each in known
        )
        dates = ", ".join(dict.fromkeys(each["published"] for each in known))
        by = ", ".join(dict.fromkeys(each["by"] for each in known if each["by"])) or "-"
        rows.append([label, counts[label], dates, by, _other_versions(known, here), ", ".join(commits)])
    table = ReportTable(
        columns=("method", "rows", "published", "by", "other versions than here", "commit"),
        rows=tuple(rows),
        note="These rows were not run here: they are published, and ask the same of the same data, split, "
        "preprocessing and adversary, by content. Their seconds are not shown among this machine's.",
    )
    return ReportSection(name="published-rows", title="Published rows", compute=_maker(table))


def seconds_section(
    labels: Mapping[str, str],
    published: Iterable[PublishedRow],
    own: Iterable[Mapping[str, Any]],
    stored: Stored,
    probe_here: object,
) -> ReportSection | None:
    """Published seconds in units of their machine's speed, and what they would come to here; None where unknown.

    Parameters
    ----------
    labels : mapping of str to str
        The label of each contribution.
    published, own : iterable of record
        Published rows with their seconds, and the run's own.
    stored : Stored
    probe_here : object
        What the run's manifest holds of its machine's speed.
    """
    there: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in published:
        seconds = row.get("fit_seconds")
        if row["status"] == "ok" and seconds is not None and row["contribution"] in labels:
            there[labels[row["contribution"]], row["contribution"]].append(seconds)
    here: dict[str, list[float]] = defaultdict(list)
    for mine in own:
        if mine["status"] == "ok" and mine.get("fit_seconds") is not None:
            here[str(mine["algorithm"])].append(float(mine["fit_seconds"]))
    table: list[list[str]] = []
    for (label, key), values in there.items():
        contribution = stored.index["contributions"][key]
        middle = median(values)
        probe: object = contribution.get("probe")
        if not is_probe(probe):
            continue
        converted = "-"
        if is_probe(probe_here):
            low, factor, high = speed_ratio(probe, probe_here)
            converted = spread_text((middle * low, middle * factor, middle * high))
        cpu = str(contribution["machine"].get("cpu") or "unknown")
        table.append([label, cpu, f"{middle:.3g}", spread_text(in_probes(middle, probe)), converted])
    if not table:
        return None
    if is_probe(probe_here):
        for label, values in here.items():
            middle = median(values)
            table.append([label, "here", f"{middle:.3g}", spread_text(in_probes(middle, probe_here)), f"{middle:.3g}"])
    shown = ReportTable(
        columns=("method", "machine", "median fit seconds there", "in probes [low, high]", "seconds here [low, high]"),
        rows=tuple(table),
        note="A probe is the geometric mean of a matrix product, a pass over memory and a loop in Python on the same "
        "machine. The ends are what the three of them, and their own spread, allow.",
    )
    return ReportSection(name="published-seconds", title="Seconds across machines", compute=_maker(shown))


def spread_text(values: tuple[float, float, float]) -> str:
    """Low, middle and high as ``middle [low, high]``."""
    low, middle, high = values
    return f"{middle:.3g} [{low:.3g}, {high:.3g}]"


def _maker(table: ReportTable) -> Callable[[Results], ReportTable]:
    return lambda results: table


def _other_versions(contributions: Iterable[Mapping[str, Any]], here: Mapping[str, Any]) -> str:
    differing = {
        f"{name} {version}"
        for contribution in contributions
        for name, version in {**contribution["versions"], "benchkit": contribution["benchkit"]}.items()
        if version and here.get(name) != version
    }
    return ", ".join(sorted(differing)) or "none"
