"""Building: by content, without a network, and with one line where it cannot be."""

import io
import re
import tarfile
from importlib.metadata import PackageNotFoundError

import pytest
from typer.testing import CliRunner

from benchkit import Environment
from benchkit.cli.main import app
from benchkit.environment import place
from benchkit.environment.place import (
    EnvironmentBuildError,
    build_environment,
    find_environment,
    is_satisfied_here,
    lock_path,
    worker_requirements,
)


def command(*arguments):
    return CliRunner().invoke(app, ["env", *map(str, arguments)], catch_exceptions=True)


def test_an_environment_is_found_by_what_its_lock_says(wheels, old_wheels):
    any_version = Environment(requirements=["tiny-votes"], inherit=True)
    first = build_environment(any_version, wheels=old_wheels)
    assert first.versions == {"tiny-votes": "1.0"}
    assert first.packages == {"tiny_votes": ["tiny-votes"]}
    assert "--hash=sha256:" in lock_path(any_version).read_text()
    assert build_environment(any_version, wheels=wheels) == first, "a lock is kept until it is upgraded"
    upgraded = build_environment(any_version, wheels=wheels, upgrade=True)
    assert upgraded.versions == {"tiny-votes": "2.0"}
    assert upgraded.folder != first.folder
    assert find_environment(any_version) == upgraded
    same = Environment(requirements=["tiny-votes>=2"], inherit=True)
    assert find_environment(same) is None


def test_what_cannot_be_resolved_is_one_line_and_so_is_how_to_get_uv(wheels, monkeypatch):
    environment = Environment(requirements=["tiny-votes>=3"], inherit=True)
    with pytest.raises(EnvironmentBuildError, match="uv pip failed: .*tiny-votes>=3") as caught:
        build_environment(environment, wheels=wheels)
    assert "\n" not in str(caught.value)
    monkeypatch.setattr(place, "find_uv", lambda: None)
    with pytest.raises(EnvironmentBuildError, match="needs uv: pip install uv"):
        build_environment(environment, wheels=wheels)


BUILD = """
from pathlib import Path

def build_wheel(*arguments, **options):
    Path({note!r}).touch()
    raise SystemExit("it was built")

prepare_metadata_for_build_wheel = build_wheel
"""


@pytest.fixture
def source_only(tmp_path):
    """A folder with a package that comes as source alone, and the file that its build code makes."""
    note = tmp_path / "executed"
    project = '[project]\nname = "tiny-votes"\nversion = "1.0"\n'
    files = {
        "pyproject.toml": f'{project}[build-system]\nrequires = []\nbuild-backend = "back"\nbackend-path = ["."]\n',
        "back.py": BUILD.format(note=str(note)),
        "PKG-INFO": "Metadata-Version: 2.1\nName: tiny-votes\nVersion: 1.0\n",
    }
    folder = tmp_path / "sources"
    folder.mkdir()
    with tarfile.open(folder / "tiny_votes-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"tiny_votes-1.0/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return folder, note


@pytest.mark.parametrize("by_address", [False, True])
def test_build_code_of_source_packages_runs_only_where_that_is_allowed(source_only, by_address):
    folder, note = source_only
    address = f"tiny-votes @ {(folder / 'tiny_votes-1.0.tar.gz').as_uri()}"
    environment = Environment(requirements=[address if by_address else "tiny-votes"], inherit=True)
    with pytest.raises(EnvironmentBuildError, match="only wheels are taken: --allow-source .* runs as you") as caught:
        build_environment(environment, wheels=folder)
    assert "\n" not in str(caught.value)
    assert not note.exists()
    with pytest.raises(EnvironmentBuildError, match="it was built"):
        build_environment(environment, wheels=folder, allow_source=True)
    assert note.exists()


def test_what_is_built_stays(wheels, voting):
    for state in ("built", "already here"):
        assert state in command("build", "votes-new", "--plugin", voting, "--from", wheels).output
    assert "declares no environment" in str(command("build", "constant").exception)


def test_workers_need_neither_reports_nor_tracking():
    names = {re.split(r"[^\w-]", text)[0] for text in worker_requirements()}
    assert {"numpy", "scikit-learn", "pydantic"} <= names
    assert not names & {"mlflow", "matplotlib", "typer"}


@pytest.mark.parametrize(
    ("installed", "asked", "python", "there"),
    [
        ("numpy", "numpy>=1", None, True),
        ("numpy", "numpy>=4", None, False),
        ("numpy", "no-such-package", None, False),
        ("numpy", "numpy", "<3.11", False),
        ("xgboost", "xgboost-cpu>=3", None, True),
        ("xgboost-cpu", "xgboost>=3", None, True),
        ("xgboost", "xgboost-cpu>=4", None, False),
    ],
)
def test_what_is_installed_here_serves_where_nothing_was_built(monkeypatch, installed, asked, python, there):
    """A package and its build for the processor are one."""

    def version(name):
        if name == installed:
            return "3.2.0"
        raise PackageNotFoundError(name)

    monkeypatch.setattr("benchkit.environment.place.version", version)
    is_satisfied_here.cache_clear()
    assert is_satisfied_here(Environment(requirements=(asked,), python=python)) is there
    is_satisfied_here.cache_clear()
