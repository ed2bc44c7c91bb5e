"""Fixtures for authors of plugins; pytest finds them through its entry point. Imports nothing until one is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from benchkit.report.results import Results


@pytest.fixture(scope="session")
def _benchkit_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for all runs of a session: what is in it is kept by content, and a second of parsing is saved in each."""
    return tmp_path_factory.mktemp("benchkit-cache")


@pytest.fixture
def benchkit_tiny_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _benchkit_cache: Path) -> Callable[..., Results]:
    """Run a suite, given as a mapping, in this process, in a temporary folder, without tracking; return its results.

    Keys that are absent are filled in: the dataset ``breast``, one repetition, ``greedy-delete`` at budgets 0 and 1.
    Keyword arguments go to `benchkit.run`.
    """
    monkeypatch.setenv("BENCHKIT_CACHE", str(_benchkit_cache))
    blank = {
        "name": "tiny",
        "datasets": ["breast"],
        "split": {"train": 60, "validation": 60, "test": 60},
        "preprocess": ["standardize", {"clip": 5}],
        "algorithms": ["constant"],
        "adversaries": [{"name": "greedy-delete", "budgets": [0, 1]}],
    }

    def run(suite: dict[str, Any], **options: Any) -> Results:
        import benchkit
        from benchkit.suite import yaml_text

        path = tmp_path / "suite.yaml"
        path.write_text(yaml_text.write({**blank, **suite}), encoding="utf-8")
        given = {"out": tmp_path / "runs", "executor": "inline", "tracking": False, **options}
        return benchkit.run(str(path), **given)

    return run
