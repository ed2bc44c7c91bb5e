"""A new plugin installs, is found, passes its own tests and keeps every rule."""

import json
import re

import pytest

from benchkit.scaffold.write import KINDS, ScaffoldError, write_plugin

NAMES = {kind: f"some-{kind}" for kind in KINDS}


@pytest.fixture(scope="module")
def installed(tmp_path_factory, fresh_environment):
    """A plugin of each kind, installed."""
    folder = tmp_path_factory.mktemp("plugins")
    for kind, name in NAMES.items():
        write_plugin(name, kind, folder)
    fresh_environment.install(*(folder / name for name in NAMES.values()))
    return folder


def test_new_plugins_are_listed_and_pass_their_tests(installed, fresh_environment, tmp_path):
    """Among them one for each rule of `benchkit check`, which is tried as a command on the package under examples/."""
    listed = json.loads(fresh_environment.run("benchkit", "list", "--json").stdout)["rows"]
    assert set(NAMES.values()) <= {entry["name"] for entry in listed if entry["kind"] != "plugins"}
    options = ("-q", "-rA", "--rootdir=.", "-p", "no:cacheprovider", "--import-mode=importlib")
    done = fresh_environment.run("pytest", *options, *NAMES.values(), cwd=installed)
    for kind, name in NAMES.items():
        assert len(re.findall(rf"^PASSED {name}/", done.stdout, re.MULTILINE)) >= 3, kind
    suite = installed / "some-algorithm" / "suite.yaml"
    quick = ("--executor", "inline", "--no-tracking", "--no-plots", "--set", "split.repetitions=1")
    done = fresh_environment.run("benchkit", "run", suite, *quick, cwd=tmp_path)
    assert "some-algorithm" in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_template_is_left(tmp_path, kind):
    for path in write_plugin("two-words", kind, tmp_path):
        assert not re.search("my.?method", str(path.relative_to(tmp_path)) + path.read_text(), re.IGNORECASE)


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("MyThing", "algorithm", "how about 'my-thing'?"),
        ("my_thing", "algorithm", "how about 'my-thing'?"),
        ("../up", "algorithm", "how about 'up'?"),
        ("", "algorithm", "not lower-case words"),
        ("2nd", "algorithm", "not lower-case words"),
        ("taken", "algorithm", "exists already"),
        ("class", "algorithm", "a word of Python"),
        ("none", "metric", "a word of Python"),
        ("thing", "report", "unknown kind 'report'"),
    ],
)
def test_bad_names_and_kinds_are_refused(tmp_path, name, kind, reason):
    (tmp_path / "taken").mkdir()
    with pytest.raises(ScaffoldError, match=re.escape(reason)):
        write_plugin(name, kind, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ScaffoldError, match="cannot write: Not a directory"):
        write_plugin("thing", "metric", tmp_path / "file")
