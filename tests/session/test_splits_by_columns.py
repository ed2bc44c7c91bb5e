"""Suites whose splits follow columns: what their records say, and what their reports make of it."""

from pathlib import Path

import numpy as np
import pytest

from benchkit import Analysis, run

ENTRY = {"name": "csv", "path": "own.csv", "target": "y", "drop": ["patient", "day"], "label": "own"}
SUITE = {
    "name": "own",
    "datasets": [ENTRY],
    "algorithms": [
        {"estimator": "sklearn.neighbors:KNeighborsClassifier", "label": "neighbours", "params": {"n_neighbors": 1}},
        {"name": "constant"},
    ],
    "metrics": ["error"],
    "seed": 3,
}


def write(name, patients, seed):
    """Each patient has a place of their own, and is ill or not, whatever the place."""
    rng = np.random.default_rng(seed)
    places, others, ill = rng.normal(size=patients), rng.normal(size=patients), rng.random(patients) < 0.5
    lines = ["patient,day,a,b,y"]
    for patient in range(patients):
        where = f"{places[patient]:.3f},{others[patient]:.3f},{'ill' if ill[patient] else 'well'}"
        lines += [f"P{seed}-{patient:02},{visit},{where}" for visit in range(10)]
    Path(name).write_text("\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("own.csv", 30, 1)
    write("later.csv", 20, 2)


def ran(split, **more):
    return run({**SUITE, "split": split, **more}, executor="inline")


def difference(results):
    [comparison] = results.comparisons(baseline="constant")
    return comparison


def test_rows_of_a_patient_flatter_who_remembers_patients():
    with pytest.warns(UserWarning, match="groups: patient"):
        of_rows = ran({"repetitions": 4, "test": 0.3}, name="rows")
    of_groups = ran({"repetitions": 4, "test": 0.3, "groups": "patient"}, name="patients")
    by_rows, by_groups = (results.to_pandas().groupby("algorithm")["error"].mean() for results in (of_rows, of_groups))
    assert by_rows["neighbours"] < 0.02 < 0.2 < by_groups["neighbours"]
    assert {str(row["units"]) for row in of_rows.rows} == {"rows"}
    assert of_groups.rows[0]["units"] == {"column": "patient", "groups": 30}
    rows, groups = difference(of_rows), difference(of_groups)
    assert (rows.by_rows, groups.by_rows) == (True, True)
    assert groups.high - groups.low > 2 * (rows.high - rows.low)
    kept = of_groups.kept_rows.outcomes.of(of_groups.rows[0])
    assert np.array_equal(kept.part.groups, kept.part.rows // 10)


def test_a_given_file_carries_the_interval_in_one_repetition():
    results = ran({"test": "later.csv", "groups": "patient"})
    record = results.rows[0]
    assert (record["split"], record["n_rows"], record["n_train"], record["n_test"]) == ("given", 500, 300, 200)
    assert results.kept_rows.outcomes.of(record).part.rows.min() == 300
    of_groups, of_rows = difference(results), difference(ran({"test": "later.csv"}, name="by-rows"))
    assert (of_groups.by_rows, of_groups.n) == (True, 1)
    assert -1 < of_groups.low < of_groups.difference < of_groups.high < 1
    assert of_rows.high - of_rows.low < (of_groups.high - of_groups.low) / 2
    assert not any("too few" in caution for caution in Analysis(results).cautions)
    assert results.by("a").groupby("algorithm")["rows"].sum().eq(200).all()  # the rows of both files are found
