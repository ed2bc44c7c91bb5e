"""A section of reports: a function of Results that returns a table, or None where it has nothing to say."""

from __future__ import annotations

from benchkit import ReportSection, ReportTable, Results, hookimpl


def longest_fits(results: Results) -> ReportTable | None:
    """Seconds of fitting per algorithm, over the trials that ended ok."""
    seconds: dict[str, list[float]] = {}
    for record in results.records:
        if record["status"] == "ok" and record["fit_seconds"] is not None:
            seconds.setdefault(record["algorithm"], []).append(record["fit_seconds"])
    if not seconds:
        return None
    rows = [[name, len(each), round(max(each), 3)] for name, each in seconds.items()]
    return ReportTable(columns=["algorithm", "fits", "longest (s)"], rows=rows, note="Compare within a run only.")


@hookimpl
def benchkit_report_sections() -> list[ReportSection]:
    """Declare the sections."""
    return [
        ReportSection(
            name="longest-fits",
            compute=longest_fits,
            title="Seconds of fitting",
            summary="How long each algorithm's fits took",
        )
    ]
