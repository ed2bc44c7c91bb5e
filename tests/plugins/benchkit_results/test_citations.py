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
    entries = {key: entry for entry, key in re.findall(r"^(@\w+\{(\w+),.*?^\})", text, re.DOTALL | re.MULTILINE)}
    for part in ("Amir Globerson and Sam Roweis", "353--360", "fdrop, random-delete"):
        assert part in entries["globerson2006"]
    assert "breast" in entries["dekel2010"]
    assert "title" in entries["joachims1998"]
    assert "version" in entries["benchkit"]
