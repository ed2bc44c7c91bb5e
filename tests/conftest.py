"""Shared fixtures: an isolated cache, and small suites that run in a second."""

import os
from pathlib import Path

import pytest
import yaml

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"


@pytest.fixture(autouse=True)
def _isolated(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture
def tiny():
    """A suite as a mapping: 2 algorithms x 2 repetitions x 2 budgets on breast."""
    return {
        "name": "tiny",
        "datasets": ["breast"],
        "split": {"repetitions": 2, "train": 60, "validation": 60, "test": 60},
        "preprocess": ["standardize", {"clip": 5}],
        "algorithms": [{"name": "svm", "tune": {"grid": {"C": [0.1, 1]}}}, "constant"],
        "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
        "seed": 7,
    }


@pytest.fixture
def write_suite(tmp_path):
    """Write a suite mapping (or YAML text) to a file; return its path as text."""

    def write(content, name="suite.yaml") -> str:
        path = Path(tmp_path) / name
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
        return str(path)

    return write


@pytest.fixture
def write_plugin(tmp_path):
    """Write a plugin file; return its path."""

    def write(text, name="my_plugin.py") -> Path:
        path = Path(tmp_path) / name
        path.write_text(text)
        return path

    return write
