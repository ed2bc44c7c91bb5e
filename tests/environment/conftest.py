"""Two versions of a tiny package as wheels, and a plugin whose methods need one each."""

import base64
import hashlib
import zipfile
from pathlib import Path

import pytest

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


def make_wheel(folder: Path, version: str, code: str, name: str = "tiny_votes") -> Path:
    """A wheel, written by hand: building one with a tool takes longer than all that is tested with it."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{info}/RECORD,,"]
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}")
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name_in_wheel, text in {**files, f"{info}/RECORD": "\n".join(rows) + "\n"}.items():
            wheel.writestr(name_in_wheel, text)
    return path


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Version 1 votes for the class -1, version 2 for +1."""
    folder = tmp_path_factory.mktemp("wheels")
    make_wheel(folder, "1.0", CODE.format(sign=-1))
    make_wheel(folder, "2.0", CODE.format(sign=1))
    return folder


@pytest.fixture
def old_wheels(wheels, tmp_path):
    """Version 1 alone."""
    make_wheel(tmp_path, "1.0", CODE.format(sign=-1))
    return tmp_path


@pytest.fixture
def voting(write_plugin):
    """The plugin file."""
    return write_plugin(PLUGIN, "voting.py")


@pytest.fixture(scope="session")
def shared_cache(wheels, tmp_path_factory):
    """A cache in which both environments are built, once for all tests; building one takes half a second."""
    from benchkit import Environment
    from benchkit.environment.place import build_environment

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
