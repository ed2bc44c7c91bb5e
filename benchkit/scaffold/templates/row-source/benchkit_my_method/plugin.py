"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import RowSource, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_row_sources() -> list[RowSource]:
    """Declare the row sources."""
    return [
        RowSource(
            name="my-method",
            open="benchkit_my_method.my_method:my_method",
            summary="A CSV file with the metrics of methods that ran elsewhere",
        )
    ]
