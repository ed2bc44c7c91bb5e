"""The works that a run used are cited once each."""

import re

import benchkit
from benchkit import Analysis
from benchkit_results.citations import bibtex

SUITE = {
    "name": "cited",
    "datasets": ["breast"],
    "split": {"repetitions": 1, "train": 60, "test": 60},
    "algorithms": ["fdrop", "lp", "constant", "svm"],
    "adversaries": [{"name": "random-delete", "budgets": [0]}],
}


def test_each_work_is_cited_once_with_what_used_it(tmp_path):
    results = benchkit.run(SUITE, out=tmp_path, executor="inline", tracking=False, plots=False)
    text = bibtex(Analysis(results))
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert text.count("{") == text.count("}")
    (globerson,) = re.findall(r"@misc\{globerson2006,.*?^\}", text, re.DOTALL | re.MULTILINE)
    assert "Globerson and Roweis" in globerson
    assert "title = {Nightmare at test time: robust learning by feature deletion}" in globerson
    assert "fdrop, random-delete" in globerson
    assert "breast" in re.findall(r"@misc\{dekel2010,.*?^\}", text, re.DOTALL | re.MULTILINE)[0]
