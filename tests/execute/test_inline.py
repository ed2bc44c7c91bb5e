"""The executor that is the present process."""

from threadpoolctl import threadpool_info, threadpool_limits

import benchkit
from benchkit.execute.work import InlineExecutor


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_a_function_has_one_blas_thread_and_the_process_its_own_again():
    with threadpool_limits(2), InlineExecutor() as executor:
        before = blas_threads()
        assert 2 in before
        assert set(executor.submit(blas_threads, timeout=None).result()) == {1}
        assert blas_threads() == before
        assert isinstance(executor.submit(divmod, 1, 0, timeout=None).exception(), ZeroDivisionError)
        assert blas_threads() == before


PLUGIN = """
import time
from benchkit import Algorithm, hookimpl
from sklearn.dummy import DummyClassifier

class Slow(DummyClassifier):
    def fit(self, X, y):
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        return super().fit(X, y)

def fail():
    raise RuntimeError("cannot be compiled")

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="slow", make=Slow), Algorithm(name="broken", make=DummyClassifier, warm_up=fail)]
"""


def test_a_trial_that_cannot_begin_is_not_charged_with_the_fit_of_the_one_before(
    tiny, write_suite, write_plugin, tmp_path
):
    """It had the cost of the fit that the trial before it shared."""
    tiny["split"]["repetitions"] = 1
    suite = write_suite({**tiny, "algorithms": ["slow", "broken"]})
    run = {"plugins": [write_plugin(PLUGIN)], "out": tmp_path / "runs", "executor": "inline", "tracking": False}
    rows = benchkit.run(suite, **run).records
    assert [row["cpu_seconds"] for row in rows if row["algorithm"] == "broken"] == [0.0, 0.0]
    assert all(row["cpu_seconds"] >= 0.05 for row in rows if row["algorithm"] == "slow")
