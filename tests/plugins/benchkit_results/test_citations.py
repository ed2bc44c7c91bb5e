"""The works that a run used are cited once each."""

import re

from benchkit import results_of
from benchkit_results.citations import joined_bibtex

USED = {"datasets": ["breast"], "algorithms": ["fdrop", "lp", "constant", "svm"], "adversaries": ["random-delete"]}


def test_each_work_is_cited_once_with_what_used_it(first):
    results = first[0]
    text = joined_bibtex(results_of({**results.manifest, "suite_as_run": USED}, results.rows, results.outcomes), [])
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert text.count("{") == text.count("}")
    (globerson,) = re.findall(r"@misc\{globerson2006,.*?^\}", text, re.DOTALL | re.MULTILINE)
    assert "Globerson and Roweis" in globerson
    assert "title = {Nightmare at test time: robust learning by feature deletion}" in globerson
    assert "fdrop, random-delete" in globerson
    assert "breast" in re.findall(r"@misc\{dekel2010,.*?^\}", text, re.DOTALL | re.MULTILINE)[0]
