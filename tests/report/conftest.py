"""Records and results by hand."""

import pytest

from benchkit.report.results import Results


@pytest.fixture(scope="session")
def make_row():
    """One record; any field can be set."""

    def make(repetition=0, value=None, status="ok", **fields):
        cell = "-".join(str(fields.get(key, "")) for key in ("dataset", "algorithm", "axis_value", "pair"))
        base = {"trial": "t", "cell": cell, "status": status, "repetition": repetition, "feature_values": "uniform"}
        base |= {"dataset": "d", "dataset_params": {}, "group": None, "adversary": "a", "adversary_params": {}}
        base |= {"algorithm": "m", "params": {}, "budget": 1.0, "axis": "budget", "axis_value": 1.0}
        base |= {"metrics": {} if value is None else {"error": value}, "error_type": None, "error": None}
        if status != "ok":
            base |= {"error_type": "ValueError", "error": "no luck"}
        # Each repetition draws fresh data, unless said otherwise.
        base |= {"n_rows": 2000, "n_train": 1000, "n_validation": 0, "n_test": 1000}
        base |= {"generated": True, "split": "random", "folds": None}
        fields.pop("pair", None)
        return {**base, **fields}

    return make


@pytest.fixture(scope="session")
def cell(make_row):
    """Records of one cell; values by repetition, None where the trial failed."""

    def cell(algorithm, values, **fields):
        return [
            make_row(r, value, "failed" if value is None else "ok", algorithm=algorithm, **fields)
            for r, value in enumerate(values)
        ]

    return cell


@pytest.fixture(scope="session")
def make_results(tmp_path_factory):
    """Results of records, of the metric ``error``."""

    folder = tmp_path_factory.mktemp("run")

    def make(records, **fields):
        known = {"suite": "s", "title": "S", "folder": folder, "metrics": ["error"]}
        return Results(rows=records, **{**known, "greater_is_better": {"error": False}, **fields})

    return make


@pytest.fixture(scope="session")
def make_curves(make_row):
    """Records of methods, each of which begins at its own value and loses a tenth from place to place."""

    def make(starts, datasets=("d",), places=3, repetitions=6, **fields):
        return [
            make_row(r, start + 0.01 * r + 0.1 * at, algorithm=name, dataset=dataset, axis_value=float(at), **fields)
            for dataset in datasets
            for name, start in starts.items()
            for at in range(places)
            for r in range(repetitions)
        ]

    return make


IDLE = """
from benchkit import Adversary, AttackResult, hookimpl

class Idle:
    def corrupt(self, attack):
        return AttackResult(X=attack.X, y=attack.y)

class Eager:
    def corrupt(self, attack):
        return AttackResult(X=attack.X + 1, y=attack.y)

@hookimpl
def benchkit_adversaries():
    return [Adversary(name="idle", make=Idle, budget_unit="features", stronger_than=("greedy-delete",)),
            Adversary(name="eager", make=Eager, budget_unit="features")]
"""


@pytest.fixture
def idle(write_plugin):
    """The file of a plugin with an adversary that changes nothing, and boasts, and one that changes all for nothing."""
    return write_plugin(IDLE)
