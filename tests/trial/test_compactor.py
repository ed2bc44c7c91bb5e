"""Records in memory: their values are kept once."""

import pickle

from benchkit.trial.record import Compactor

RECORD = {
    "trial": "a1",
    "status": "ok",
    "params": {"C": 1},
    "metrics": {"error": 0.25},
    "budget": 2.0,
    "error": None,
    "warnings": {"polluted": ["it changed the environment"]},
}


def test_equal_values_are_kept_once_and_those_that_only_look_equal_stay_apart():
    compact = Compactor().compact
    one, two = (compact(pickle.loads(pickle.dumps({**RECORD, "trial": trial}))) for trial in ("a1", "a2"))
    assert one == RECORD
    assert two == {**RECORD, "trial": "a2"}
    assert all(one[name] is two[name] for name in ("status", "params", "budget", "warnings"))
    assert one["metrics"] is not two["metrics"]
    kinds = [compact({"params": {"C": value}})["params"]["C"] for value in (1, 1.0, True, -0.0, 0.0)]
    assert [repr(kind) for kind in kinds] == ["1", "1.0", "True", "-0.0", "0.0"]
    assert compact({"error": "{'C': 1}"})["error"] == "{'C': 1}"
