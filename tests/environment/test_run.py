"""Trials in environments: conflicting requirements in one run, the same limits, and no harm to others."""

import base64
import hashlib
import io
import json
import os
import sys
import tarfile
import time
import zipfile
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec

import pytest

import benchkit
from benchkit import Environment, OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.environment import place
from benchkit.environment.place import (
    BuiltEnvironment,
    EnvironmentBuildError,
    EnvironmentMissingError,
    build_environment,
    find_environment,
    is_satisfied_here,
    lock_path,
)
from benchkit.execute import foreign
from benchkit.execute.foreign import InEnvironment
from benchkit.execute.local import LocalExecutor
from benchkit.session.plan import Request, plan_suite
from tests.conftest import PATIENCE


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
    assert find_environment(Environment(requirements=["tiny-votes>=2"], inherit=True)) is None


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


@pytest.mark.parametrize("by_address", [False, True])
def test_build_code_of_source_packages_runs_only_where_that_is_allowed(by_address, tmp_path):
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
    address = f"tiny-votes @ {(folder / 'tiny_votes-1.0.tar.gz').as_uri()}"
    environment = Environment(requirements=[address if by_address else "tiny-votes"], inherit=True)
    with pytest.raises(EnvironmentBuildError, match="only wheels are taken: --allow-source .* runs as you") as caught:
        build_environment(environment, wheels=folder)
    assert "\n" not in str(caught.value)
    assert not note.exists()
    with pytest.raises(EnvironmentBuildError, match="it was built"):
        build_environment(environment, wheels=folder, allow_source=True)
    assert note.exists()


def test_what_is_built_stays(wheels, voting, here):
    for state in ("built", "already here"):
        assert state in here("env", "build", "votes-new", "--plugin", str(voting), "--from", str(wheels)).stdout
    assert "declares no environment" in here("env", "build", "constant").stderr


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


@pytest.fixture
def votes(write_suite):
    """Write a suite of some algorithms."""

    def write(*algorithms, repetitions=2):
        split = {"repetitions": repetitions, "train": 60, "validation": 60, "test": 60}
        content = {"name": "votes", "datasets": ["breast"], "split": split, "algorithms": list(algorithms), "seed": 7}
        return write_suite(content)

    return write


def errors(results):
    rows = results.records
    assert {row["status"] for row in rows} == {"ok"}, [row["error"] for row in rows]
    return {(row["algorithm"], row["repetition"]): row["metrics"]["error"] for row in rows}


def test_two_methods_with_conflicting_requirements_compete_in_one_run(built, voting, votes, tmp_path):
    suite = votes("votes-old", "votes-new", "constant")
    results = benchkit.run(suite, plugins=[voting], out=tmp_path, jobs=1, tracking=False)
    error = errors(results)
    for repetition in range(2):  # one votes for each class, on the same rows
        old, new = error["votes-old", repetition], error["votes-new", repetition]
        assert old + new == 1 != 2 * old
    used = json.loads((results.folder / "manifest.json").read_text())["ingredients"].items()
    versions = {name: packages["tiny-votes"] for name, packages in used if "tiny-votes" in packages}
    assert versions == {"algorithm:votes-old in tiny-votes<2": "1.0", "algorithm:votes-new in tiny-votes>=2": "2.0"}
    assert len(plan_suite(Request(suite, plugins=[voting], out=tmp_path)).done) == 6


def test_on_dask(built, voting, votes, tmp_path):
    """One method is enough: what it imports is in its environment alone. The cluster is of threads of this process."""
    distributed = pytest.importorskip("distributed")
    assert find_spec("tiny_votes") is None
    suite = votes("votes-new", repetitions=1)
    with distributed.LocalCluster(1, threads_per_worker=1, processes=False, protocol="tcp") as cluster:
        where = {"executor": "dask", "executor_options": {"scheduler": cluster.scheduler_address}}
        results = benchkit.run(suite, plugins=[voting], out=tmp_path, tracking=False, **where)
    assert errors(results).keys() == {("votes-new", 0)}


def test_what_cannot_run_is_skipped_with_what_to_type(built, voting, votes, tmp_path):
    suite = votes("votes-old", "votes-later", "constant", repetitions=1)
    with pytest.warns(UserWarning, match="votes-later: needs tiny-votes>=3, which is not installed here"):
        results = benchkit.run(suite, plugins=[voting], out=tmp_path, executor="inline", tracking=False)
    rows = {row["algorithm"]: row for row in results.records}
    status = {name: row["status"] for name, row in rows.items()}
    assert status == {"votes-old": "skipped", "votes-later": "skipped", "constant": "ok"}
    assert "use --executor local" in rows["votes-old"]["error"]
    assert "type 'benchkit env build votes-later --plugin voting.py'" in rows["votes-later"]["error"]


def test_versions_in_the_environment_count_for_reuse(wheels, old_wheels, votes, voting, tmp_path):
    environment = Environment(requirements=["tiny-votes"], inherit=True)

    def ids():
        trials = plan_suite(Request(votes("votes", "constant"), plugins=[voting], out=tmp_path / "runs")).trials
        return {(trial.algorithm.name, trial.repetition): name for name, trial in trials.items()}

    build_environment(environment, wheels=old_wheels)
    old = ids()
    build_environment(environment, wheels=wheels, upgrade=True)
    assert {name for name, _ in old.items() - ids().items()} == {("votes", 0), ("votes", 1)}
    assert old == ids() | {name: old[name] for name in old if name[0] == "votes"}


@pytest.fixture
def in_new():
    new = Environment(requirements=["tiny-votes>=2"], inherit=True)
    return partial(InEnvironment, environment=new, build="benchkit env build votes-new")


def test_limits_deaths_and_what_comes_after_them(built, in_new, tmp_path):
    with LocalExecutor(1, tmp_path / "workers.log", memory=250) as executor:
        version = executor.submit(in_new(eval), "__import__('tiny_votes').Votes().sign", timeout=PATIENCE)
        slow = executor.submit(in_new(time.sleep), 600, timeout=1)
        dead = executor.submit(in_new(os._exit), 3, timeout=PATIENCE)
        held = "(lambda held: __import__('time').sleep(600))(b'x' * 2**28)"  # until the limit is looked at
        large = executor.submit(in_new(eval), held, timeout=PATIENCE)
        there = executor.submit(in_new(eval), "__import__('sys').prefix", timeout=PATIENCE)
        assert version.result() == 1
        with pytest.raises(OverTimeError, match="took longer than 1 s"):
            slow.result()
        with pytest.raises(WorkerDiedError, match="exit code 3"):
            dead.result()
        with pytest.raises(OverMemoryError):
            large.result()
        assert executor.submit(eval, "__import__('sys').prefix", timeout=PATIENCE).result() == sys.prefix
        assert there.result().startswith(str(built))


@pytest.mark.parametrize(("ends", "seconds"), [("exit 1", PATIENCE), ("exec sleep 3600", 0.3)])
def test_an_interpreter_that_never_begins_ends_its_own_tasks_alone(tmp_path, monkeypatch, in_new, ends, seconds):
    """One that did not end was waited for without an end."""
    broken = tmp_path / "broken"
    (broken / "bin").mkdir(parents=True)
    (broken / "bin" / "python").write_text(f"#!/bin/sh\necho 'no module named anything' >&2\n{ends}\n")
    (broken / "bin" / "python").chmod(0o755)
    place = BuiltEnvironment(broken, "3.11.0", {}, {}, False)
    monkeypatch.setattr(foreign, "place_of", lambda environment, build: place)
    with LocalExecutor(1) as executor:
        works = executor.submit(os.getpid, timeout=PATIENCE)
        assert works.result() != os.getpid()
        monkeypatch.setattr("benchkit.execute.local._STARTING", seconds)
        with pytest.raises(WorkerDiedError, match="die before they can begin: no module named anything"):
            executor.submit(in_new(time.sleep), 0, timeout=PATIENCE).result(PATIENCE)
        assert executor.submit(os.getpid, timeout=PATIENCE).result() == works.result()


def test_without_the_environment_the_task_says_what_to_type(in_new):
    with (
        LocalExecutor(1) as executor,
        pytest.raises(EnvironmentMissingError, match="type 'benchkit env build votes-new"),
    ):
        executor.submit(in_new(os.getpid), timeout=PATIENCE).result()


CODE = '''
from sklearn.dummy import DummyClassifier

class Votes(DummyClassifier):
    """Predicts a constant, whose sign is the version's."""
    def __init__(self, sign={sign}):
        super().__init__(strategy="constant", constant=sign)
        self.sign = sign
'''

PLUGIN = """
from benchkit import Algorithm, Environment, hookimpl

def votes(name, requirement):
    environment = Environment(requirements=["tiny-votes" + requirement], inherit=True)
    return Algorithm(name=name, make="tiny_votes:Votes", environment=environment)

@hookimpl
def benchkit_algorithms():
    versions = {"votes-old": "<2", "votes-new": ">=2", "votes-later": ">=3", "votes": ""}
    return [votes(name, requirement) for name, requirement in versions.items()]
"""


def make_wheel(folder, version, sign):
    """A wheel, written by hand: building one with a tool takes longer than all that is tested with it."""
    info = f"tiny_votes-{version}.dist-info"
    files = {
        "tiny_votes.py": CODE.format(sign=sign),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tiny-votes\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{info}/RECORD,,"]
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}")
    with zipfile.ZipFile(folder / f"tiny_votes-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in {**files, f"{info}/RECORD": "\n".join(rows) + "\n"}.items():
            wheel.writestr(path, text)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Version 1 votes for the class -1, version 2 for +1."""
    folder = tmp_path_factory.mktemp("wheels")
    make_wheel(folder, "1.0", -1)
    make_wheel(folder, "2.0", 1)
    return folder


@pytest.fixture
def old_wheels(wheels, tmp_path):
    """Version 1 alone."""
    make_wheel(tmp_path, "1.0", -1)
    return tmp_path


@pytest.fixture
def voting(write_plugin):
    """The plugin file."""
    return write_plugin(PLUGIN, "voting.py")


@pytest.fixture(scope="session")
def shared_cache(wheels, tmp_path_factory):
    """A cache in which both environments are built, once for all tests; building one takes half a second."""
    folder = tmp_path_factory.mktemp("shared-cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHKIT_CACHE", str(folder))
        for requirement in ("tiny-votes<2", "tiny-votes>=2"):
            build_environment(Environment(requirements=[requirement], inherit=True), wheels=wheels)
    return folder


@pytest.fixture
def built(shared_cache, monkeypatch):
    """The environments of the plugin, in the cache of this test."""
    monkeypatch.setenv("BENCHKIT_CACHE", str(shared_cache))
    return shared_cache
