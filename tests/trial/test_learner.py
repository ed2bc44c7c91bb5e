"""An estimator that changes what it is given is named, with what to do; the rest of the run goes on."""

import benchkit

PLUGIN = """
from benchkit import Algorithm, hookimpl
from sklearn.linear_model import RidgeClassifier

class Centring(RidgeClassifier):
    def fit(self, X, y):
        X -= X.mean(axis=0)
        return super().fit(X, y)

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="centring", make=Centring)]
"""


def test_an_estimator_that_changes_its_inputs(tiny, write_suite, write_plugin, tmp_path):
    tiny["algorithms"] = ["centring", "constant"]
    results = benchkit.run(
        write_suite(tiny),
        plugins=[write_plugin(PLUGIN)],
        out=tmp_path / "runs",
        executor="inline",
        tracking=False,
        only={"repetition": "0"},
    )
    by_algorithm = {row["algorithm"]: row for row in results.records}
    assert by_algorithm["centring"]["status"] == "failed"
    assert "centring writes to the data it is given" in by_algorithm["centring"]["error"]
    assert "let fit work on a copy of X and y" in by_algorithm["centring"]["error"]
    assert by_algorithm["constant"]["status"] == "ok"
