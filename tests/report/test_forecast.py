"""The forecast of what is left."""

from benchkit.report.forecast import forecast


def row(dataset, algorithm, seconds=None):
    return {"dataset": dataset, "algorithm": algorithm, "status": "ok", "cpu_seconds": seconds}


def test_the_nearest_experience_counts():
    done = [row("a", "lp", 1.0), row("a", "lp", 3.0), row("b", "lp", 10.0), row("a", "svm", 0.5)]
    assert forecast([row("a", "lp")], done) == 2.0
    assert forecast([row("new", "lp")], done) == 14 / 3
    assert forecast([row("new", "new")], done) == 14.5 / 4
    assert forecast([row("a", "lp")], []) is None
