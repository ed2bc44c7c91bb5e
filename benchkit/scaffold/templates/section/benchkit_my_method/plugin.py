"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import ReportSection, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_report_sections() -> list[ReportSection]:
    """Declare the sections."""
    return [
        ReportSection(
            name="my-method",
            compute="benchkit_my_method.my_method:my_method",
            title="Seconds of fitting",
            summary="How long each algorithm's fits took",
        )
    ]
