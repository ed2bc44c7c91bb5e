"""Errors are caught by the common base, and pass between processes."""

import pickle

import pytest

import benchkit


def test_a_mistake_is_caught_by_the_common_base_and_errors_of_executors_pass_between_processes(tmp_path):
    with pytest.raises(benchkit.BenchkitError, match="unknown suite"):
        benchkit.run("no-such-suite", out=tmp_path)
    with pytest.raises(benchkit.JournalError):
        benchkit.load(tmp_path)
    for kind in (benchkit.OverTimeError, benchkit.OverMemoryError, benchkit.WorkerDiedError):
        copy = pickle.loads(pickle.dumps(kind("a reason")))
        assert (type(copy), str(copy)) == (kind, "a reason")
