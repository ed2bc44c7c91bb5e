"""The order of features decides: the finding of roofs-table3, at a size for tests, through the framework."""

import pytest

import benchkit

DATA = {"name": "roofs-synthetic", "n": 300, "p": 200, "sparsity": 0.1}
SUITE = {
    "name": "orders",
    "datasets": [{**DATA, "label": "first", "order": "true-first"}, {**DATA, "label": "shuffled", "order": "shuffled"}],
    "split": {"method": "none", "repetitions": 2},
    "algorithms": [
        {"name": "roofs", "params": {"n_selected": 0.1, "batch_size": 20}},
        {"name": "torrent-told", "params": {"n_selected": 0.1, "batch_size": 20}},
        {"name": "iht-trimmed", "params": {"n_selected": 0.1}},
    ],
    "adversaries": [{"name": "corrupt-responses", "budgets": [0.1, 0.2]}],
    "metrics": [
        *("features-f1", "chance-features-f1", "clean-rows-f1", "all-clean-f1"),
        *("coefficient-error", "coefficient-error-bound"),
    ],
}


def test_roofs_owes_its_lead_to_the_order(tmp_path):
    table = benchkit.run(SUITE, out=tmp_path, executor="inline", tracking=False).to_pandas()
    assert (table["status"] == "ok").all()
    assert table["coefficient-error-bound"].gt(table["coefficient-error"]).all()
    assert sorted(table["all-clean-f1"].unique()) == pytest.approx([2 * 0.8 / 1.8, 2 * 0.9 / 1.9])
    assert table["chance-features-f1"].unique() == pytest.approx([0.1])
    f1 = table.groupby(["dataset", "algorithm"])["features-f1"].mean()
    assert f1["first", "roofs"] > f1["first", "torrent-told"] + 0.02
    assert f1["shuffled", "roofs"] < f1["shuffled", "torrent-told"] - 0.1
    assert f1["shuffled", "roofs"] < f1["shuffled", "iht-trimmed"] - 0.1
    rows = table.groupby(["dataset", "algorithm"])["clean-rows-f1"].mean()
    assert rows.min() > 0.8
