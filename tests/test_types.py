"""Types reach the people who build on benchkit: mypy's strict mode passes on new plugins and on the examples."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from benchkit.scaffold.write import KINDS, write_plugin

ROOT = Path(__file__).parents[1]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
PACKAGES = BUILD["targets"]["wheel"]["packages"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(package):
    """Without the marker of PEP 561 a type checker ignores the annotations of an installed package."""
    assert (ROOT / package / "py.typed").is_file()


@pytest.fixture(scope="module")
def mypy(request):
    """Run mypy's strict mode in a folder, as a reader would; all calls share the analysis of the libraries.

    It is kept from session to session, as mypy does for its users: what has changed since is analysed again.
    """
    caches = request.config.cache.mkdir("mypy")
    # The reader's mypy finds the installed package: its types count, what it imports is no business of theirs.
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}

    def check(folder, *files):
        # With other options mypy starts anew: those of this repository are for what lies in it alone.
        cache = caches / ("repository" if folder == ROOT else "elsewhere")
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *files]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return check


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_is_typed(mypy, tmp_path, kind):
    write_plugin("some-method", kind, tmp_path)
    checked = mypy(tmp_path / "some-method")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "no issues found in 5 source files" in checked.stdout


def test_the_example_package_is_typed(mypy):
    checked = mypy(ROOT / "examples" / "benchkit-random-subspace")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_example_in_a_file_is_typed(mypy):
    checked = mypy(ROOT, "examples/medians.py")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_mistake_is_noticed(mypy, tmp_path):
    """The calls above can fail: a declaration with a misspelled field is an error to mypy."""
    write_plugin("some-method", "metric", tmp_path)
    declared = tmp_path / "some-method" / "benchkit_some_method" / "plugin.py"
    declared.write_text(declared.read_text().replace("summary=", "sumary="))
    checked = mypy(tmp_path / "some-method")
    assert checked.returncode == 1
    assert 'Unexpected keyword argument "sumary" for "Metric"' in checked.stdout
