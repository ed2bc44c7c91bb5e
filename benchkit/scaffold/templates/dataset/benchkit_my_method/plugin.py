"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used.

For data of a file, declare ``files=[DataFile(name="folder/file.csv", urls=[...])]`` instead of ``generated``, and open
it with ``benchkit.require_file("folder/file.csv")``: the file is found, downloaded and checked for you.
"""

from benchkit import Dataset, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_datasets() -> list[Dataset]:
    """Declare the datasets."""
    return [
        Dataset(
            name="my-method",
            load="benchkit_my_method.my_method:load_my_method",
            generated=True,
            summary="Two Gaussian classes whose means differ in the first few features",
            shape="400 x 10",
            classes="-1, +1",
            source="generated",
        )
    ]
