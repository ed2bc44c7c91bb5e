"""Records in memory: their values are kept once, and nobody's copy is another's."""

import pickle

from benchkit.journal.shared_values import SharedValues, copied

RECORD = {
    "trial": "a1",
    "status": "ok",
    "params": {"C": 1},
    "metrics": {"error": 0.25},
    "budget": 2.0,
    "fit_seconds": 0.5,
    "error": None,
    "warnings": {"polluted": ["it changed the environment"]},
}


def arrived(**more):
    """A record as it comes from a worker: every object in it is its own."""
    return pickle.loads(pickle.dumps({**RECORD, **more}))


def test_equal_values_are_kept_once_and_nothing_changes():
    values = SharedValues()
    one, two = values.share(arrived()), values.share(arrived(trial="a2"))
    assert one == RECORD
    assert two == {**RECORD, "trial": "a2"}
    assert all(mine is its for mine, its in zip(one, two, strict=True))
    assert all(one[name] is two[name] for name in ("status", "params", "budget", "warnings"))
    assert one["metrics"] is not two["metrics"]


def test_values_that_are_equal_but_not_the_same_stay_apart():
    values = SharedValues()
    kinds = [values.share({"params": {"C": value}})["params"]["C"] for value in (1, 1.0, True, -0.0, 0.0)]
    assert [repr(kind) for kind in kinds] == ["1", "1.0", "True", "-0.0", "0.0"]
    assert values.share({"error": "{'C': 1}"})["error"] == "{'C': 1}"


def test_a_copy_may_be_changed():
    record = arrived()
    copy = copied(record)
    copy["params"]["C"] = 7
    copy["warnings"]["polluted"].append("nothing")
    assert record == RECORD
    assert copied({"odd": {1, 2}}) == {"odd": {1, 2}}
