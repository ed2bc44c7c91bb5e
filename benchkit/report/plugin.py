"""The first-party report section, declared through the hook that other people's are."""

from benchkit.plugin.declarations import ReportSection
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_report_sections() -> list[ReportSection]:
    """Declare the attack audit."""
    return [
        ReportSection(
            name="attack-audit",
            make="benchkit.report.audit_section:audit_table",
            title="Attack audit failures",
            summary="Where a weaker attack did more damage than one that is declared to be at least as strong",
        )
    ]
