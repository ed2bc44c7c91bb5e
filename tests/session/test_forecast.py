"""The forecast of what is left."""

from benchkit.session.plan import Forecast, forecast


def row(dataset, algorithm, seconds, profile="paper", status="ok"):
    return {"dataset": dataset, "algorithm": algorithm, "status": status, "cpu_seconds": seconds, "profile": profile}


def test_the_nearest_experience_counts():
    done = [row("a", "lp", 1.0), row("a", "lp", 3.0), row("b", "lp", 10.0), row("a", "svm", 0.5)]
    done.append(row("a", "lp", 1000.0, status="timeout"))
    assert forecast([("a", "lp")], done, "paper", None) == Forecast(2.0, "its own trials")
    assert forecast([("new", "lp")], done, "paper", None).seconds == 14 / 3
    assert forecast([("new", "new"), ("a", "svm")], done, "paper", None).seconds == 14.5 / 4 + 0.5


def test_own_trials_go_before_the_suites_word_and_that_before_other_profiles():
    left, quick = [("a", "lp"), ("b", "lp")], row("a", "lp", 1.0, profile="quick")
    assert forecast(left, [row("a", "lp", 7.0), quick], "paper", 60.0) == Forecast(14.0, "its own trials")
    assert forecast(left, [quick], "paper", 60.0) == Forecast(120.0, "its 'hours'")
    assert forecast(left, [quick], "paper", None) == Forecast(2.0, "trials of profile quick", True)
    assert forecast(left, [row("a", "lp", 7.0, status="failed")], "paper", None) == Forecast(None, "no trial was run")
