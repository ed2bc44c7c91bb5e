"""The executor, in a run."""

from collections.abc import Callable

import pytest

from benchkit import Results
from benchkit_my_method.my_method import MyMethod


def test_futures_hold_results_and_errors() -> None:
    with MyMethod(jobs=None) as place:
        assert place.submit(divmod, 7, 2, timeout=None).result() == (3, 1)
        with pytest.raises(ZeroDivisionError):
            place.submit(divmod, 7, 0, timeout=None).result()


def test_a_suite_runs_on_it(benchkit_tiny_run: Callable[..., Results]) -> None:
    assert benchkit_tiny_run({}, executor="my-method", executor_options={"pause": 0.001}).ok
