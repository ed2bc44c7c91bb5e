"""Every declaration is complete and light, and the files on this machine parse to the declared digests."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from benchkit import digest_data
from benchkit_datasets.plugin import benchkit_datasets

ALL = {dataset.name: dataset for dataset in benchkit_datasets()}
WITH_DIGEST = [name for name, dataset in ALL.items() if dataset.digest]
GENERATED = [name for name, dataset in ALL.items() if dataset.generated]


def test_the_plugin_declares_what_the_papers_and_users_need():
    assert set(ALL) == {
        *("breast", "spambase", "usps", "mnist", "digits"),
        *("breast-cancer", "diabetes", "german", "waveform", "physics", "landmine", "housing", "ailerons", "cpu-act"),
        *("imdb", "roofs-synthetic"),
        *("label-copies", "redundant-features", "logistic-toy", "waveform-generated", "machines"),
        *("ionosphere", "sonar", "magic", "sms-spam", "multi-view"),
        *("openml", "csv", "parquet", "table", "libsvm"),
        *("openml-regression", "csv-regression", "parquet-regression", "table-regression", "libsvm-regression"),
    }


@pytest.mark.parametrize("name", ALL)
def test_a_declaration_says_what_a_reader_asks(name):
    dataset = ALL[name]
    assert dataset.summary
    assert dataset.shape
    assert dataset.classes
    assert dataset.source
    for text in (dataset.summary, dataset.shape, dataset.classes, dataset.licence, dataset.source, dataset.reference):
        assert "\n" not in text
    if dataset.files:
        assert dataset.licence
        assert dataset.reference
    for file in dataset.files:
        assert file.urls or file.obtain, f"{file.name}: nobody can get it"


@pytest.mark.parametrize("name", ALL)
def test_named_functions_exist(name):
    dataset = ALL[name]
    parameters = dataset.load.parameters()
    assert ("random_state" in parameters) == dataset.generated
    for named in (dataset.expand, dataset.paths):
        if named is not None:
            assert callable(named.resolve())


def test_every_dataset_has_a_section_on_the_page():
    page = (Path(__file__).parents[3] / "docs" / "datasets" / "README.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### (\S+)$", page, re.MULTILINE)
    twins = {name for name in ALL if name.removesuffix("-regression") in ALL and name.endswith("-regression")}
    assert sorted(sections) == sorted(set(ALL) - twins)
    assert all(f"`{name}`" in page for name in twins)


def test_only_files_that_nobody_gave_us_have_no_digest():
    assert [name for name, dataset in ALL.items() if dataset.files and not dataset.digest] == ["physics"]


@pytest.mark.parametrize("name", WITH_DIGEST)
def test_the_files_parse_to_the_declared_digest(name, load):
    assert digest_data(load(name)) == ALL[name].digest


@pytest.mark.parametrize("name", WITH_DIGEST)
def test_data_is_well_formed(name, load):
    data = load(name)
    assert data.X.dtype == np.float64
    assert data.X.shape == (len(data.y), len(data.feature_names))
    assert len(set(data.feature_names)) == len(data.feature_names)
    assert np.isfinite(data.X.data if sparse.issparse(data.X) else data.X).all()
    kind = "i" if ALL[name].task == "classification" else "f"
    assert data.y.dtype.kind == kind
    assert ALL[name].shape.startswith(f"{data.X.shape[0]} x {data.X.shape[1]}")


@pytest.mark.parametrize("name", GENERATED)
def test_the_seed_decides_what_is_generated(name):
    load = ALL[name].load
    first, again, other = load(random_state=1), load(random_state=1), load(random_state=2)
    assert digest_data(first) == digest_data(again)
    assert digest_data(first) != digest_data(other)
    assert ALL[name].shape == f"{first.X.shape[0]} x {first.X.shape[1]}"
    assert len(first.feature_names) == first.X.shape[1]


def test_declaring_imports_nothing_heavy():
    code = (
        "import json, sys; from benchkit_datasets.plugin import benchkit_datasets; benchkit_datasets();"
        "print(json.dumps([m for m in ('numpy', 'scipy', 'sklearn', 'pandas') if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
