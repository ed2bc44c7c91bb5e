"""Where records by hand are from, and the verdict on a claim about them."""

from benchkit.report.claims.verdict import judge
from benchkit.suite.claims import Claim

PLACE = {"status": "ok", "dataset": "d", "dataset_params": {}, "group": None, "axis": "budget"}
PLACE |= {"adversary": "a", "adversary_params": {}}
TRIVIAL = "constant", "mean"


def judged(claim, records, metric="error", **options):
    cell = ("dataset", "dataset_params", "algorithm", "axis_value")
    records = [row | {"cell": str([row[name] for name in cell])} for row in records]
    claim = Claim.model_validate({"claim": "c", "source": "s", **claim})
    return judge(claim, records, metric, **{"greater_is_better": False} | options)
