"""Records in memory: their values are kept once, and nobody's copy is another's."""

import json
import pickle
import tracemalloc

import pytest

from benchkit.journal.record import Compactor

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


def test_equal_values_are_kept_once_and_it_is_read_as_a_dict_is():
    compactor = Compactor()
    one, two = compactor.compact(arrived()), compactor.compact(arrived(trial="a2"))
    assert two == {**RECORD, "trial": "a2"} == {**one, "trial": "a2"}
    assert all(one[name] is two[name] for name in ("status", "params", "budget", "warnings"))
    assert one["metrics"] is not two["metrics"]
    assert json.dumps(dict(one)) == json.dumps(RECORD)
    assert repr(one) == repr(RECORD)
    assert one.get("nothing", 1) == 1
    assert "nothing" not in one
    with pytest.raises(KeyError, match="nothing"):
        one["nothing"]
    rows = [{"trial": "a", "metrics": {"error": 1.0, "loss": None}}, {"metrics": {}, "trial": "b"}, {"trial": "c"}]
    assert [dict(compactor.compact(row)) for row in rows] == rows


def test_values_that_are_equal_but_not_the_same_stay_apart():
    compactor = Compactor()
    kinds = [compactor.compact({"params": {"C": value}})["params"]["C"] for value in (1, 1.0, True, -0.0, 0.0)]
    assert [repr(kind) for kind in kinds] == ["1", "1.0", "True", "-0.0", "0.0"]
    assert compactor.compact({"error": "{'C': 1}"})["error"] == "{'C': 1}"


def test_a_thousand_records_take_less_than_half_of_what_dicts_take():
    fields = {f"field-{number}": number for number in range(33)}

    def measure(keep):
        tracemalloc.start()
        kept = [keep(arrived(trial=f"{number:016x}", fit_seconds=number / 7, **fields)) for number in range(1000)]
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size / len(kept)

    assert measure(Compactor().compact) < 0.5 * measure(dict)
