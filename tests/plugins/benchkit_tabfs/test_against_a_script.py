"""Rows at the protocol of TabFSBench, tables apart and codes fixed, beside a script that knows no benchkit."""

from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split

import benchkit
from benchkit import DataUnavailableError, require_file

# Stumps at a small rate, as the benchmark has them by default; fewer of them.
XGBOOST = (
    "xgboost",
    ("xgboost", "XGBClassifier", {"n_jobs": 1}),
    {"n_estimators": 60, "learning_rate": 0.1, "max_depth": 1},
)
BOOSTING = (
    "gradient-boosting",
    ("sklearn.ensemble", "HistGradientBoostingClassifier", {"random_state": 0}),
    {"max_iter": 30, "max_leaf_nodes": 6},
)


@pytest.fixture(params=[XGBOOST, BOOSTING], ids=["xgboost", "gradient-boosting"])
def model(request):
    """What benchkit calls a model, where its package has it, and its parameters."""
    pytest.importorskip(request.param[1][0])
    return request.param


def script(path, model):
    """Accuracy and AUC by scenario and degree."""
    _, (module, name, silent), params = model
    frame = pd.read_csv(path)
    *columns, target = frame.columns
    text = [column for column in frame.columns if not pd.api.types.is_numeric_dtype(frame[column])]
    coded = frame.copy()
    for column in text:
        coded[column] = pd.Categorical(frame[column]).codes
    train, test = train_test_split(coded, test_size=0.2, random_state=42)
    fitted = getattr(import_module(module), name)(**params, **silent).fit(train[columns].to_numpy(float), train[target])
    strength = coded.corr()[target].drop(target).abs().sort_values()
    orders = {"least": list(strength.index), "most": list(strength.index[::-1])}

    def score(gone):
        shifted = test.copy()
        for column in gone:
            shifted[column] = train[column].mode()[0] if column in text else float(train[column].mean())
        X = shifted[columns].to_numpy(float)
        return (
            accuracy_score(test[target], fitted.predict(X)),
            roc_auc_score(test[target], fitted.predict_proba(X)[:, 1]),
        )

    found = {}
    for degree in range(len(columns) + 1):
        for name, order in orders.items():
            found[name, degree] = score(order[:degree])
        found["single", degree] = score(orders["least"][degree - 1 : degree] if degree else [])
    return found


def rows(tmp_path, dataset, n_columns, model):
    name, _, params = model
    budgets = list(range(n_columns + 1))
    suite = {
        "name": "as-the-script",
        "datasets": [dataset],
        "split": {"method": "given-seed", "test": 0.2},
        "algorithms": [{"name": name, "params": params}],
        "adversaries": [
            {"name": "column-shift", "label": name, "params": {"scenario": name, "order": "all"}, "budgets": budgets}
            for name in ("least", "most", "single")
        ],
        "metrics": ["accuracy", "roc_auc"],
    }
    table = benchkit.run(suite, out=tmp_path / "runs", executor="inline").to_pandas()
    assert (table["status"] == "ok").all()
    return {(row["adversary"], round(row["budget"])): (row["accuracy"], row["roc_auc"]) for _, row in table.iterrows()}


def test_rows_on_one_of_their_tables_are_the_scripts(tmp_path, model):
    try:
        path = Path(require_file("tabfsbench/heart.csv"))
    except DataUnavailableError as error:
        pytest.skip(str(error))
    found, expected = rows(tmp_path, {"name": "tabfs-heart", "encoding": "codes"}, 11, model), script(path, model)
    assert found.keys() == expected.keys()
    for key, numbers in expected.items():
        assert found[key] == pytest.approx(numbers, abs=1e-12, rel=0), key
    # The rows differ: a script that shifts nothing would not pass.
    assert len(set(expected.values())) > 5


def test_published_rows_of_the_benchmarks_10_000_stumps_are_the_scripts():
    pytest.importorskip("xgboost")
    try:
        path = Path(require_file("tabfsbench/heart.csv"))
    except DataUnavailableError as error:
        pytest.skip(str(error))
    published = pd.read_parquet(Path(__file__).parents[3] / "results" / "tabfs-table" / "paper" / "records.parquet")
    published = published[(published["dataset"] == "heart-paper") & (published["algorithm"] == "xgboost")]
    assert len(published) == 12
    params = {"n_estimators": 10_000, "learning_rate": 0.01, "max_depth": 1}
    expected = script(path, ("xgboost", ("xgboost", "XGBClassifier", {"n_jobs": 1}), params))
    for _, row in published.iterrows():
        numbers = row["metrics.accuracy"], row["metrics.roc_auc"]
        assert numbers == pytest.approx(expected[row["adversary"], round(row["budget"])], abs=1e-12, rel=0)
