"""Where a record stands: which records share a place, a curve, a group's place."""

import pytest

from benchkit.report.place import off_axis, place_of
from benchkit.trial.record import Compactor


def record(**more):
    fields = {
        "dataset": "digits",
        "dataset_params": {"pair": [4, 7], "size": 100},
        "group": "pairs",
        "feature_values": "uniform",
        "adversary": "delete",
        "adversary_params": {"greedy": True},
        "axis": "budget",
        "axis_value": 1.0,
    }
    return {**fields, **more}


def test_methods_and_repetitions_meet_at_one_place():
    one, other = record(algorithm="lp", repetition=0), record(algorithm="svm", repetition=1)
    assert len({place_of(one), place_of(other)}) == 1
    assert place_of(Compactor().compact({**one, "metrics": {}})) == place_of(one)
    assert place_of(record(dataset_params={"size": 100, "pair": [4, 7]})) == place_of(record())  # in any order


@pytest.mark.parametrize(
    "other",
    [
        {"dataset": "breast"},
        {"dataset_params": {"pair": [4, 9], "size": 100}},
        {"group": None},
        {"feature_values": [1.0, 2.0]},
        {"adversary": "none"},
        {"adversary_params": {"greedy": False}},
        {"axis": "dataset.size"},
        {"axis_value": 2.0},
    ],
)
def test_whatever_differs_makes_another_place(other):
    assert place_of(record(**other)) != place_of(record())


@pytest.mark.parametrize("field", ["axis_value", "dataset_params"])
def test_values_of_different_types_are_different_places(field):
    values = (1, 1.0, True, "1")
    places = {place_of(record(**{field: {"n": value} if field == "dataset_params" else value})) for value in values}
    assert len(places) == len(values)


@pytest.mark.parametrize(
    ("axis", "params"), [("dataset.size", "dataset_params"), ("adversary.size", "adversary_params")]
)
def test_a_curve_runs_over_the_parameter_that_its_axis_names(axis, params):
    places = {place_of(record(axis=axis, axis_value=size, **{params: {"size": size, "kept": 1}})) for size in (1, 2)}
    assert len(places) == 2
    (curve,) = {place.curve for place in places}
    assert curve != place_of(record(axis=axis, **{params: {"size": 1, "kept": 2}})).curve


def test_members_of_a_group_share_its_place_and_no_member_has_it():
    members = [place_of(record(dataset=name, dataset_params={"pair": name})) for name in ("digits", "pairs")]
    assert len({member.of_group for member in members}) == 1
    assert members[0].of_group not in members
    assert members[0].panel == ("pairs", "delete")
    assert place_of(record(group=None)).panel == ("digits", "delete")


def test_parameters_beside_the_axis():
    assert off_axis({"size": 1, "kept": 2}, "dataset.size") == {"kept": 2}
    for axis in ("budget", "adversary.size"):
        assert off_axis({"size": 1}, axis) == {"size": 1}
