"""Datasets as they are declared; tests whose file is not on this machine skip."""

import json

import pytest

from benchkit import DataUnavailableError
from benchkit_datasets.plugin import benchkit_datasets


@pytest.fixture(scope="session")
def declared():
    return {dataset.name: dataset for dataset in benchkit_datasets()}


@pytest.fixture(scope="session")
def parsed(tmp_path_factory):
    """Where files are kept as arrays: one may be that of several data sets."""
    return str(tmp_path_factory.mktemp("parsed"))


@pytest.fixture(scope="module")
def load(declared, parsed):
    """Load a declared dataset by name; what is small is kept for the file's tests, which must not write to it."""
    kept = {}

    def load(name, **params):
        key = name + json.dumps(params, sort_keys=True)
        if key in kept:
            return kept[key]
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("BENCHKIT_CACHE", parsed)
                data = declared[name].load(**params)
        except DataUnavailableError as error:
            pytest.skip(f"{name}: {error}")
        if getattr(data.X, "data", data.X).nbytes < 20_000_000:  # the large ones would add up to a gigabyte
            kept[key] = data
        return data

    return load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder, the only one that is searched."""
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"
