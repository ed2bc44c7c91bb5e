"""The order of features decides: the finding of roofs-table3, at a size for tests, through the framework."""

import pytest

import benchkit


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "orders.yaml"
    path.write_text(
        """
name: orders
datasets:
  - {name: roofs-synthetic, label: first, n: 300, p: 200, sparsity: 0.1, order: true-first}
  - {name: roofs-synthetic, label: shuffled, n: 300, p: 200, sparsity: 0.1, order: shuffled}
split: {method: none, repetitions: 2}
algorithms:
  - {name: roofs, params: {n_selected: 0.1, batch_size: 20}}
  - {name: torrent-told, params: {n_selected: 0.1, batch_size: 20}}
  - {name: iht-trimmed, params: {n_selected: 0.1}}
adversaries:
  - {name: corrupt-responses, budgets: [0.1, 0.2]}
metrics: [features-f1, chance-features-f1, clean-rows-f1, all-clean-f1, coefficient-error, coefficient-error-bound]
"""
    )
    return path


def test_roofs_owes_its_lead_to_the_order(suite, tmp_path):
    table = benchkit.run(str(suite), out=tmp_path / "runs", executor="inline", tracking=False).to_pandas()
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
