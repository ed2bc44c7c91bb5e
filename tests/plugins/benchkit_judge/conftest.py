"""The command line, in this process."""

from functools import partial

import pytest


@pytest.fixture
def here(call_benchkit, tmp_path):
    """Run benchkit in an empty folder and in this process."""
    return partial(call_benchkit, tmp_path)
