"""The executor that is the present process."""

import numpy as np  # noqa: F401  # its BLAS is what is limited
from threadpoolctl import threadpool_info, threadpool_limits

from benchkit.execute.inline import InlineExecutor


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def refuse():
    raise ValueError("no")


def test_a_function_has_one_blas_thread_and_the_process_its_own_again():
    with threadpool_limits(2), InlineExecutor() as executor:
        before = blas_threads()
        assert 2 in before
        assert set(executor.submit(blas_threads, timeout=None).result()) == {1}
        assert blas_threads() == before
        assert isinstance(executor.submit(refuse, timeout=None).exception(), ValueError)
        assert blas_threads() == before
