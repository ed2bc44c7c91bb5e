"""What changes a trial's id, and what does not."""

import pytest

from benchkit.plugin.manager import discover
from benchkit.suite.load import load
from benchkit.suite.plan import expand
from benchkit.trial import identity
from benchkit.trial.identity import Fingerprints

PLUGIN = """
from benchkit import Algorithm, Dataset, DataFile, hookimpl

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="mine", make="my_package.mine:Mine", grid={"C": [1]}),
        Algorithm(name="other", make="my_package.other:Other"),
    ]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load="my_package.numbers:load", files=[DataFile(name="numbers.txt")])]
"""
MODULES = {
    "__init__.py": "",
    "mine.py": "import numpy\nfrom my_package.helper import help_me\nclass Mine:\n    pass\n",
    "helper.py": "def help_me():\n    from . import deep\n",
    "deep.py": "x = 1\n",
    "other.py": "class Other:\n    pass\n",
    "numbers.py": "def load():\n    pass\n",
    "unrelated.py": "",
}
SUITE = {"name": "s", "datasets": ["numbers"], "algorithms": ["mine", "other"]}


@pytest.fixture
def package(tmp_path, monkeypatch, write_plugin, write_suite):
    """A plugin with a package; returns its folder and a function that computes the ids of its two trials."""
    folder = tmp_path / "my_package"
    folder.mkdir()
    for name, text in MODULES.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    data = tmp_path / "data"
    data.mkdir()
    (data / "numbers.txt").write_text("1 2 3")
    monkeypatch.setenv("BENCHKIT_DATA", str(data))

    def ids(**changes):
        registry = discover([write_plugin(PLUGIN)])
        assert not registry.problems
        trials = expand(load(write_suite({**SUITE, **changes})), registry)
        fingerprints = Fingerprints(registry)
        return {trial.algorithm.name: fingerprints.identify(trial) for trial in trials}

    return tmp_path, ids


def changed(before, after):
    return {name for name in before if before[name] != after.get(name)}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("my_package/mine.py", {"mine"}),
        ("my_package/helper.py", {"mine"}),
        ("my_package/deep.py", {"mine"}),
        ("my_package/__init__.py", {"mine", "other"}),
        ("my_package/other.py", {"other"}),
        ("my_package/numbers.py", {"mine", "other"}),
        ("data/numbers.txt", {"mine", "other"}),
        ("my_package/unrelated.py", set()),
    ],
)
def test_a_comment_in_a_source_or_a_byte_of_a_file(package, path, expected):
    folder, ids = package
    before = ids()
    with (folder / path).open("a") as file:
        file.write("# a comment\n")
    assert changed(before, ids()) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        ({"title": "Another title"}, set()),
        ({"seed": 1}, {"mine", "other"}),
        ({"preprocess": ["standardize"]}, {"mine", "other"}),
        ({"feature_values": "mutual-information"}, {"mine", "other"}),
        ({"split": {"train": 0.6}}, {"mine", "other"}),
        ({"split": {"repetitions": 1}}, set()),
        ({"metrics": ["accuracy"]}, {"mine", "other"}),
        ({"algorithms": [{"name": "mine", "params": {"C": 2}}, "other"]}, {"mine"}),
    ],
)
def test_parameters_and_seed(package, changes, expected):
    _, ids = package
    assert changed(ids(), ids(**changes)) == expected


def test_the_version_of_an_imported_distribution(package, monkeypatch):
    _, ids = package
    before = ids()
    real = identity.version
    monkeypatch.setattr(identity, "version", lambda name: "0" if name == "mlflow" else real(name))
    assert changed(before, ids()) == set()
    monkeypatch.setattr(identity, "version", lambda name: "0" if name == "numpy" else real(name))
    assert changed(before, ids()) == {"mine", "other"}


def test_the_protocol_is_its_sources(package, monkeypatch):
    _, ids = package
    before = ids()
    real = Fingerprints._read

    def read(self, name, path):
        content, imported = real(self, name, path)
        return content + ("changed" if name == "benchkit.trial.protocol" else ""), imported

    monkeypatch.setattr(Fingerprints, "_read", read)
    assert changed(before, ids()) == {"mine", "other"}
