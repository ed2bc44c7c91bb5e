"""The example that learns from a Parquet file row group by row group."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from tests.conftest import load_script

EXAMPLE = Path(__file__).parents[2] / "examples" / "stream_parquet.py"


@pytest.fixture(scope="module")
def example():
    return load_script(EXAMPLE)


@pytest.fixture
def file(tmp_path):
    """350 rows in four row groups, and the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(350, 4))
    y = (X[:, 0] > 0).astype(int)
    table = pa.table({"y": y, **{f"x{j}": X[:, j] for j in range(4)}})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    return tmp_path / "rows.parquet", X, y


def test_row_groups_are_the_rows_at_once_to_the_bit(example, file):
    path, X, y = file
    params = {"C": 0.5, "noise_budget": 1.0, "radius": 3.0}
    learned = example.learn(path, "y", **params)
    whole = OnlineToBatchPerceptron(horizon=300, **params).partial_fit(X[:300], y[:300])
    np.testing.assert_array_equal(learned.coef_, whole.coef_)
    assert learned.n_seen_ == 300


def test_it_says_what_it_took(example, file, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["stream_parquet.py", str(file[0]), "y"])
    example.main()
    said = capsys.readouterr().out
    assert said.startswith("300 rows in ")
    assert "error on 50 rows kept apart: 0." in said
