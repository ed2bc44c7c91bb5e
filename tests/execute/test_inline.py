"""The executor that is the present process."""

from threadpoolctl import threadpool_info, threadpool_limits

import benchkit
from benchkit.execute.work import InlineExecutor
from tests.execute.conftest import doing


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


def test_a_trial_that_cannot_begin_is_not_charged_with_the_fit_before(tiny, write_suite, folder, tmp_path):
    """It had the cost of the fit that the trial before it shared."""
    tiny["split"]["repetitions"] = 1
    slow = doing("slow", "end = time.process_time() + 0.05\nwhile time.process_time() < end: pass")
    suite = write_suite({**tiny, "algorithms": [slow, "broken"]})
    run = {"plugins": [folder / "plugin.py"], "out": tmp_path / "runs", "executor": "inline", "tracking": False}
    rows = benchkit.run(suite, **run).records
    assert [row["cpu_seconds"] for row in rows if row["algorithm"] == "broken"] == [0.0, 0.0]
    assert all(row["cpu_seconds"] >= 0.05 for row in rows if row["algorithm"] == "slow")
