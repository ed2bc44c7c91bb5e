import pytest

import benchkit


@pytest.fixture
def run(tiny, write_suite, tmp_path):
    """Run the tiny suite, as a test has changed it, in this process."""

    def run_it(**options):
        settings = {"out": tmp_path / "runs", "executor": "inline", "tracking": False, **options}
        return benchkit.run(write_suite(tiny), **settings)

    return run_it
