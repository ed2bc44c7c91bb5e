"""Shared fixtures: an isolated cache, small suites that run in a second, and a virtual environment to install into."""

import os
import site
import subprocess
import venv
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


_QUIETLY = ("--quiet", "--disable-pip-version-check")


class Environment:
    """A fresh virtual environment that sees benchkit and its dependencies where this one has them."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.binaries = folder / "bin"
        (packages,) = (folder / "lib").glob("python*/site-packages")
        # Not copied: processed as this environment does, path files of editable installations included.
        lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
        (packages / "shared.pth").write_text("\n".join(lines) + "\n")
        self.run("pip", "install", *_QUIETLY, "hatchling")  # once, and not for every package anew

    def run(self, *command, cwd=None, check=True):
        """Run a command of the environment."""
        name, *arguments = map(str, command)
        module = {"benchkit": ["-c", "from benchkit.cli.main import main; main()"]}.get(name, ["-m", name])
        done = subprocess.run(
            [self.binaries / "python", *module, *arguments],
            capture_output=True,
            text=True,
            cwd=cwd,
            timeout=300,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def install(self, *packages):
        """Install packages from folders, their dependencies being there."""
        self.run("pip", "install", *_QUIETLY, "--no-deps", "--no-build-isolation", *packages)


@pytest.fixture(scope="session")
def fresh_environment(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def unseen(monkeypatch):
    """Leave out the look at the data before a run, which would refuse a budget that is to fail in its trials."""
    from benchkit.session import plan
    from benchkit.session.inspection.findings import Findings

    monkeypatch.setattr(plan, "inspect", lambda *seen: Findings())
