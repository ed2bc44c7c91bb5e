"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import ReportFormat, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_report_formats() -> list[ReportFormat]:
    """Declare the formats."""
    return [
        ReportFormat(
            name="my-method",
            render="benchkit_my_method.my_method:my_method",
            suffix=".txt",
            summary="The answers, and the means in lines that tabs divide",
        )
    ]
