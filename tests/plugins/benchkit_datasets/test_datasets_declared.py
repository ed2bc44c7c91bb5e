"""Every declaration is complete and light, and the files on this machine parse to the declared digests."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from benchkit import digest_data
from benchkit_datasets.plugin import benchkit_datasets

ALL = {dataset.name: dataset for dataset in benchkit_datasets()}
WITH_DIGEST = [name for name, dataset in ALL.items() if dataset.digest]
GENERATED = [name for name, dataset in ALL.items() if dataset.generated]


@pytest.mark.parametrize("name", ALL)
def test_a_declaration_says_what_a_reader_asks(name):
    dataset = ALL[name]
    texts = [dataset.summary, dataset.shape, dataset.classes, dataset.source]
    more = [dataset.licence, dataset.reference]
    assert all([*texts, *(more if dataset.files else ())])
    assert "\n" not in "".join(texts + more)
    for file in dataset.files:
        assert file.urls or file.obtain, f"{file.name}: nobody can get it"
    assert ("random_state" in dataset.load.parameters()) == dataset.generated
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
def test_the_files_parse_to_the_declared_digest_and_are_well_formed(name, load):
    data = load(name)
    assert digest_data(data) == ALL[name].digest
    assert data.X.dtype == np.float64
    assert data.X.shape == (len(data.y), len(data.feature_names))
    assert len(set(data.feature_names)) == len(data.feature_names)
    assert np.isfinite(data.X.data if sparse.issparse(data.X) else data.X).all()
    assert data.y.dtype.kind == ("i" if ALL[name].task == "classification" else "f")
    assert ALL[name].shape.startswith(f"{data.X.shape[0]} x {data.X.shape[1]}")


@pytest.mark.parametrize("name", GENERATED)
def test_the_seed_decides_what_is_generated(name):
    load = ALL[name].load
    first, again, other = load(random_state=1), load(random_state=1), load(random_state=2)
    assert digest_data(first) == digest_data(again)
    assert digest_data(first) != digest_data(other)
    assert ALL[name].shape == f"{first.X.shape[0]} x {first.X.shape[1]}"
    assert len(first.feature_names) == first.X.shape[1]
