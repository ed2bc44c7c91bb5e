"""What a stranger's suite is not run for, and that nothing of it is executed by looking."""

import json
import sys

import pytest

from benchkit.published.recheck.recheck import recheck
from benchkit.published.strangers import harmless_part
from benchkit.published.submission import check_submission


def labels(suite):
    kept, reasons = harmless_part(suite)
    return [entry["label"] for entry in kept["algorithms"]], reasons


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"fitted": "evil.pkl", "trust": True}, "it is the file of a model"),
        ({"name": "fitted:evil.pkl", "params": {"trust": True}}, "it is the file of a model"),
        ({"name": "this:s"}, "this:s is no estimator of scikit-learn's"),
        ({"name": "evil:Model", "estimator": "sklearn.svm:SVC"}, "evil:Model is no estimator"),
        ({"estimator": "os.path:join"}, "os.path:join is no estimator of scikit-learn's"),
        ({"estimator": ["sklearn.impute:SimpleImputer", "evil:Model"]}, "evil:Model is no estimator"),
        ({"name": "sklearn.impute:SimpleImputer | evil:Model"}, "evil:Model is no estimator"),
        ({"estimator": "sklearn.utils:all_estimators"}, "is no estimator"),
        ({"name": "svm", "params": {"memory": "docs/cache"}}, "memory names a file or a folder"),
        ({"name": "svm", "params": {"pipeline__memory": "cache"}}, "pipeline__memory names a file or a folder"),
        ({"name": "svm", "tune": {"grid": {"cache_dir": ["a"]}}}, "cache_dir names a file or a folder"),
        ({"name": "svm", "tune": [{"grid": {"kernel": ["../x"]}}]}, "the value '../x' of kernel is a path"),
        ({"name": "svm", "params": {"kernel": "/any/path"}}, "the value '/any/path' of kernel is a path"),
        ({"name": "svm", "params": {"kernel": "os:system"}}, "the value 'os:system' of kernel names code"),
    ],
)
def test_what_names_classes_files_or_code_is_left_out(entry, reason):
    kept, reasons = labels({"algorithms": [{**entry, "label": "x"}, {"name": "constant", "label": "kept"}]})
    assert kept == ["kept"]
    assert len(reasons) == 1
    assert reason in reasons[0]
    assert "evil" not in sys.modules


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "svm", "params": {"kernel": "rbf", "C": 1}, "tune": {"grid": {"C": [0.1, 1]}, "search": "random"}},
        {"estimator": "sklearn.ensemble:HistGradientBoostingClassifier", "grid": {"max_depth": [2, 4]}},
        {
            "estimator": [
                {"estimator": "sklearn.impute:SimpleImputer", "params": {"strategy": "median"}},
                "sklearn.svm:SVC",
            ]
        },
        {"name": "sklearn.svm:SVC | sklearn.svm:SVC", "params": {"memory": None}},
    ],
)
def test_installed_methods_with_plain_parameters_are_kept(entry):
    assert labels({"algorithms": [{**entry, "label": "kept"}]}) == (["kept"], [])


@pytest.mark.parametrize(
    ("shared", "reason"),
    [
        ({"axis": {"parameter": "algorithm.memory", "values": ["docs/cache"]}}, "memory names a file or a folder"),
        ({"axis": {"parameter": "algorithm.kernel", "values": ["rbf", "os:system"]}}, "names code"),
        ({"preprocess": [{"mine": "/etc/passwd"}]}, "is a path"),
        ({"split": {"method": "given", "params": {"file": "x.csv"}}}, "file names a file or a folder"),
    ],
)
def test_what_all_entries_share_is_looked_at(shared, reason):
    part, reasons = harmless_part({"algorithms": ["svm"], "datasets": ["breast"], **shared})
    assert part["algorithms"] == part["datasets"] == []
    assert len(reasons) == 1
    assert reason in reasons[0]


def test_other_files_are_not_taken_in():
    named = {"include": ["../evil.yaml"], "plugins": ["evil.py"], "profiles": {"a": {}}, "expect": []}
    assert harmless_part({"name": "x", "algorithms": ["svm"], **named}) == ({"name": "x", "algorithms": ["svm"]}, [])


@pytest.mark.parametrize(("path", "kept"), [("mine.csv", True), ("/etc/passwd", False), ("../a.csv", False)])
def test_a_data_file_may_be_named_and_no_folder(path, kept):
    entries = [{"name": "csv", "path": path}, {"name": "csv", "label": "b", "params": {"path": path}}]
    part, reasons = harmless_part({"datasets": entries, "expect": [{"claim": "x"}]})
    assert part["datasets"] == (entries if kept else [])
    assert bool(reasons) is not kept
    assert "expect" not in part


def test_a_strangers_results_are_rechecked_without_what_they_would_execute(published, tmp_path, monkeypatch):
    """A published suite that names a module of the current folder: nothing imports it, unless you say so."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "planted.py").write_text("open('executed', 'w').close()\nfrom sklearn.svm import SVC\n")
    index = published / "index.json"
    content = json.loads(index.read_text())
    for spec in content["suites"].values():
        spec["as_run"]["algorithms"].append({"name": "planted:SVC", "label": "planted"})
    index.write_text(json.dumps(content))
    assert any("planted:SVC is no estimator" in problem for problem in check_submission(published))
    told = recheck(published, share=1.0)
    assert not (tmp_path / "executed").exists()
    assert told.agree > 0
    assert any("planted:SVC is no estimator of scikit-learn's; --trust runs it" in reason for reason in told.reasons)
    recheck(published, share=0.1, trust=True)
    assert (tmp_path / "executed").exists()
