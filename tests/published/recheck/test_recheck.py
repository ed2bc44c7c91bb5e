"""Running published rows again: what agrees, what differs, what cannot be run; and the index keeps it."""

import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys

import pytest
import yaml
from pyarrow import parquet

import benchkit
from benchkit.journal import PublishError
from benchkit.published.recheck import rerun_elsewhere
from benchkit.published.recheck.arithmetic import Arithmetic, arithmetic_here
from benchkit.published.recheck.recheck import recheck
from benchkit.published.recheck.rerun import Rechecked
from benchkit.published.rows import to_parquet
from benchkit.published.site.checked import checked_page
from benchkit.published.stored import open_folder
from benchkit.published.write import publish

LP = {"name": "lp", "params": {"noise_budget": "$budget", "C": 1}}


def publish_rows(folder, algorithms, repetitions):
    """Run methods, and publish their rows."""
    suite = {
        "name": "tiny",
        "datasets": ["breast"],
        "split": {"repetitions": repetitions, "train": 60, "test": 60},
        "algorithms": algorithms,
        "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
    }
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite, sort_keys=False))
    results = benchkit.run(str(path), out=folder / "runs", executor="inline", tracking=False)
    publish([results.folder], folder / "published")
    return folder / "published"


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    linear = {"name": "logistic-regression", "params": {"C": 0.1}}
    return publish_rows(tmp_path_factory.mktemp("first"), ["constant", linear], 2)


@pytest.fixture
def published(first, tmp_path):
    shutil.copytree(first, tmp_path / "published")
    return tmp_path / "published"


def falsify(folder, method, change):
    """Change a metric of every row of a method, with the digest that goes with it."""
    path = next(folder.rglob(f"{method}.parquet"))
    table = parquet.read_table(path)
    place = table.column_names.index("metrics.error")
    values = [change(value) for value in table["metrics.error"].to_pylist()]
    sink = io.BytesIO()
    parquet.write_table(table.set_column(place, table.schema.field(place), [values]), sink)
    replace_content(folder, method, sink.getvalue())


def replace_content(folder, method, content):
    """Replace a method's file, with the digest that goes with it."""
    next(folder.rglob(f"{method}.parquet")).write_bytes(content)
    index = json.loads((folder / "index.json").read_text())
    for file in index["files"]:
        if file["path"].endswith(f"{method}.parquet"):
            file["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "index.json").write_text(json.dumps(index))


def test_models_prove_what_they_state(tmp_path):
    told = recheck(publish_rows(tmp_path, [LP], 1), share=0.1)
    assert (told.agree, told.differ, told.not_run, told.broken) == (1, 0, 0, 0)
    assert told.certificates > 0


def test_rows_that_are_true_agree_and_the_index_says_so(published):
    told = recheck(published, share=1.0)
    assert (told.agree, told.differ, told.not_run) == (8, 0, 0)
    assert told.ok
    (entry,) = open_folder(published).index["rechecks"]
    assert (entry["rows"], entry["agree"], entry["tolerance"]) == (8, 8, 1e-6)
    assert entry["trials"] == sorted(row["trial"] for row in open_folder(published).all_rows())
    assert set(open_folder(published).rechecked) == set(entry["trials"])
    assert "8 of 8 published rows were run again" in checked_page(open_folder(published))


def test_rows_that_are_false_differ_beyond_the_tolerance(published):
    falsify(published, "constant", lambda value: value - 0.01)
    told = recheck(published, share=1.0)
    assert (told.agree, told.differ) == (4, 4)
    assert told.largest == pytest.approx(0.01)
    assert not told.ok
    assert recheck(published, share=1.0, tolerance=0.02).ok
    assert len(open_folder(published).index["rechecks"]) == 2


def test_the_losses_of_rows_are_compared_one_by_one(published):
    assert recheck(published, share=1.0).losses == 8 * 60
    path = next(published.rglob("constant.parquet"))
    table = parquet.read_table(path)
    place = table.column_names.index("wrong")
    # Another row is wrong instead: the mean stays what it was.
    wrong = table["wrong"].to_pylist()
    moved = [bytes([each[0] ^ (0b11 << 6 if each[0] >> 6 in (1, 2) else 0), *each[1:]]) for each in wrong]
    changed = sum(one != other for one, other in zip(moved, wrong, strict=True))
    sink = io.BytesIO()
    parquet.write_table(table.set_column(place, table.schema.field(place), [moved]), sink)
    replace_content(published, "constant", sink.getvalue())
    told = recheck(published, share=1.0)
    assert changed > 0
    assert (told.differ, told.losses_differ, told.largest) == (changed, 2 * changed, 0)
    assert "2 of 60 test rows lose something else than was published" in told.differences[0]
    assert open_folder(published).index["rechecks"][-1]["losses_differ"] == 2 * changed


def test_a_seed_chooses_the_same_rows(published):
    falsify(published, "constant", lambda value: value - 0.01)
    first, again = (recheck(published, share=0.4, seed=5) for _ in range(2))
    assert first.differences == again.differences
    assert first.agree + first.differ == 4


def test_a_share_is_a_share(published):
    with pytest.raises(PublishError, match="above 0, at most 1"):
        recheck(published, share=1.5)


PICKY = """
from benchkit import Algorithm, hookimpl
from sklearn.linear_model import RidgeClassifier

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="picky", make=RidgeClassifier, tasks=("regression",))]
"""


def test_a_plugin_adds_no_method_to_the_suites_that_are_checked(published, write_plugin):
    told = recheck(published, share=1.0, plugins=[write_plugin(PICKY)])
    assert (told.agree, told.not_run) == (8, 0)


def test_a_shipped_suite_brings_its_own_plugin(tmp_path):
    vertex = {"algorithm": "lp-n0-vertex", "repetition": "0", "adversary": "named-delete"}
    results = benchkit.run("dsx10-label-copies", out=tmp_path / "runs", only=vertex, executor="inline", tracking=False)
    publish([results.folder], tmp_path / "published")
    told = recheck(tmp_path / "published", share=1.0)
    assert (told.agree, told.not_run) == (3, 0)


def test_seconds_are_others_each_time(tmp_path):
    suite = {
        "name": "timed",
        "datasets": ["breast"],
        "split": {"repetitions": 1, "train": 60, "test": 60},
        "algorithms": ["svm"],
        "metrics": ["error", "fit-seconds"],
    }
    results = benchkit.run(suite, out=tmp_path / "runs", executor="inline", tracking=False)
    publish([results.folder], tmp_path / "published")
    told = recheck(tmp_path / "published", share=1.0)
    assert (told.agree, told.differ) == (1, 0)


NOSY = """
import os
import numpy as np
from benchkit import Algorithm, hookimpl
from sklearn.dummy import DummyClassifier

class Nosy(DummyClassifier):
    def predict(self, X):
        return np.full(len(X), self.classes_[int("OPENBLAS_CORETYPE" in os.environ)])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="nosy", make=Nosy, tasks=("classification",))]
"""


@pytest.fixture
def made_with(tmp_path, write_plugin, monkeypatch):
    """Publish rows of a method that looks which kernels are asked for, as if they were made with others."""
    here = arithmetic_here()
    if not here.kernels.startswith("openblas ") or "," in here.kernels:
        pytest.skip(f"kernels cannot be chosen: {here.kernels or 'unknown'}")
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    plugin = write_plugin(NOSY)
    suite = {
        "name": "tiny",
        "datasets": ["breast"],
        "split": {"repetitions": 2, "train": 60, "test": 60},
        "algorithms": ["nosy"],
        "plugins": [str(plugin)],
    }
    results = benchkit.run(suite, out=tmp_path / "runs", executor="inline", tracking=False)
    folder = tmp_path / "published"
    publish([results.folder], folder)

    def change(**machine):
        index = json.loads((folder / "index.json").read_text())
        for contribution in index["contributions"].values():
            assert contribution["machine"]["kernels"] == here.kernels
            contribution["machine"] |= machine
        (folder / "index.json").write_text(json.dumps(index))
        return recheck(folder, share=1.0, plugins=[plugin]), open_folder(folder).index["rechecks"][-1]

    return change


def test_rows_are_run_with_the_kernels_that_they_were_made_with(made_with):
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("no kernels that every processor of this kind runs are known here")
    here = arithmetic_here()
    other = "openblas Nehalem" if here.kernels != "openblas Nehalem" else "openblas Core2"
    told, entry = made_with(kernels=other)
    # The process that ran them was asked for these kernels: the method says so.
    assert (told.agree, told.differ, told.not_run) == (0, 2, 0)
    assert entry["differ"] == 2
    assert entry["arithmetic"] == {f"{other}, {here.compiled_for}": 2}


@pytest.mark.whole
def test_rows_are_compiled_for_the_processor_that_they_were_made_on(made_with):
    here = arithmetic_here()
    told, entry = made_with(compiled_for="generic")
    assert told.agree + told.differ == 2
    assert entry["arithmetic"] == {f"{here.kernels}, generic": 2}


@pytest.mark.parametrize("kernels", [None, "mkl", "openblas Haswell, openblas Zen"])
def test_rows_whose_kernels_cannot_be_chosen_are_run_with_those_that_are_here(kernels, made_with):
    told, entry = made_with(kernels=kernels)
    assert (told.agree, told.differ, told.not_run) == (2, 0, 0)
    assert entry["arithmetic"] == {str(arithmetic_here()): 2}


@pytest.mark.whole
def test_rows_of_kernels_that_are_unknown_here_are_not_run(made_with):
    told, entry = made_with(kernels="openblas Abacus")
    assert (told.agree, told.differ, told.not_run) == (0, 0, 2)
    assert "openblas Abacus" in told.reasons[0]
    assert not told.ok
    assert entry["not_run"] == 2


def test_a_process_that_dies_of_these_kernels_leaves_its_rows_not_run(published, monkeypatch):
    monkeypatch.setattr(rerun_elsewhere, "_START", "import os; os.abort()")
    wanted = Arithmetic("openblas Nehalem", "generic")
    rows = open_folder(published).all_rows()[:2]
    told = rerun_elsewhere.rerun_elsewhere(published, rows, wanted, arithmetic_here(), (), 1e-6)
    assert (told.agree, told.not_run) == (0, 2)
    assert "exit code -6" in told.reasons[0]


@pytest.mark.whole
def test_rows_that_were_moved_or_taken_out_meanwhile_are_found_or_not_run(made_with, tmp_path):
    made_with()
    folder = tmp_path / "published"
    first, second = open_folder(folder).all_rows()
    gone = {**first, "trial": "0" * 16}
    here = arithmetic_here()
    told = rerun_elsewhere.rerun_elsewhere(folder, [gone, second], here, here, [tmp_path / "my_plugin.py"], 1e-6)
    assert (told.agree + told.differ, told.not_run) == (1, 1)
    assert told.reasons == ["1 rows: taken out of the folder while others ran"]


def test_a_processor_is_told_with_what_it_can_do():
    here = Arithmetic("openblas Haswell", "rocketlake")
    assert here.variables(here) == {"OPENBLAS_CORETYPE": "Haswell"}
    there = Arithmetic("", "znver3").variables(here)
    assert there == {"NUMBA_CPU_NAME": "znver3", "NUMBA_CPU_FEATURES": ""}
    # The variables are numba's: it takes the features of the name, and not those of this processor.
    asked = "import numba.core.config as config; print(repr(config.CPU_NAME), repr(config.CPU_FEATURES))"
    said = subprocess.run([sys.executable, "-c", asked], env={**os.environ, **there}, capture_output=True, text=True)
    assert said.stdout.split() == ["'znver3'", "''"]


def test_a_metric_that_is_not_the_suites_is_not_asked_for(published):
    """A file holds the metrics of all its runs: those that a run did not ask for are None, and may be unknown here."""
    [path, *_] = [file["path"] for file in open_folder(published).index["files"]]
    rows = [{**row, "metrics": {**row["metrics"], "mine": None}} for row in open_folder(published).rows(path)]
    content = to_parquet(rows)
    (published / path).write_bytes(content)
    index = json.loads((published / "index.json").read_text())
    for entry in index["files"]:
        if entry["path"] == path:
            entry["sha256"] = hashlib.sha256(content).hexdigest()
    (published / "index.json").write_text(json.dumps(index))
    told = recheck(published, share=1.0)
    assert told.ok


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("contributions", {"machine": {"kernels": "openblas \u0000"}}),
        ("suites", {"as_run": {"algorithms": 5}}),
    ],
)
def test_an_index_with_values_of_another_kind_is_refused_in_one_line(kind, change, published):
    index = json.loads((published / "index.json").read_text())
    for entry in index[kind].values():
        entry |= change
    (published / "index.json").write_text(json.dumps(index))
    with pytest.raises(PublishError, match="not an index of published results"):
        recheck(published, share=1.0)


def test_rows_of_two_processes_are_counted_together():
    told = Rechecked(agree=2, largest=0.5, reasons=["one"])
    told.add(Rechecked(agree=1, differ=1, largest=0.25, differences=["two"]))
    assert (told.agree, told.differ, told.largest) == (3, 1, 0.5)
    assert (told.reasons, told.differences) == (["one"], ["two"])
