"""Types reach the people who build on benchkit: mypy's strict mode passes on new plugins and on the examples."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from benchkit.scaffold.write import KINDS, write_plugin

ROOT = Path(__file__).parents[1]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
PACKAGES = BUILD["targets"]["wheel"]["packages"]
EXAMPLE = ROOT / "examples" / "benchkit-random-subspace"
NEW = {kind: f"typed-{kind}" for kind in KINDS}  # names that no other test of the process has imported
# What benchkit imports, and none of its public types is made of: half of the time went into their analysis.
UNFOLLOWED = """
[[tool.mypy.overrides]]
module = ["IPython.*", "filelock.*", "matplotlib.*", "pydantic.*", "rich.*"]
follow_imports = "skip"
"""
MISSPELT = """

from benchkit import Results


def statuses(results: Results) -> list[object]:
    return [row["statsu"] for row in results.rows]
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(package):
    """Without the marker of PEP 561 a type checker ignores the annotations of an installed package."""
    assert (ROOT / package / "py.typed").is_file()


def _package(name):
    return "benchkit_" + name.replace("-", "_")


def _settings(plugin):
    """What its file says to mypy, with a word instead of its name."""
    _, tool, text = (plugin / "pyproject.toml").read_text().partition("[tool.mypy]")
    return (tool + text).replace(_package(plugin.name), "PACKAGE")


def test_what_people_build_is_typed_and_a_mistake_is_noticed(request, tmp_path_factory):
    """New plugins and the examples pass; a misspelt field, of a declaration or of a record, is an error to mypy.

    One call for all: it takes seconds to start. The settings of plugins are the same but for their names, and so the
    sources lie side by side under those of the first.
    """
    pytest.importorskip("mypy", reason="needs the extra lint")
    written, together = tmp_path_factory.mktemp("written"), tmp_path_factory.mktemp("together")
    for kind, name in NEW.items():
        write_plugin(name, kind, written)
    write_plugin("mistaken", "metric", written)
    declared = written / "mistaken" / "benchkit_mistaken" / "plugin.py"
    declared.write_text(declared.read_text().replace("summary=", "sumary="))
    with declared.open("a") as file:
        file.write(MISSPELT)
    shutil.copytree(EXAMPLE, written / "random-subspace")
    plugins = sorted(path.name for path in written.iterdir())
    settings = {_settings(written / name) for name in plugins}
    assert len(settings) == 1, "plugins are checked with different settings"
    modules = ", ".join(f'"{_package(name)}.*"' for name in plugins)
    (together / "pyproject.toml").write_text(settings.pop().replace('"PACKAGE.*"', f'{modules}, "medians"'))
    for name in plugins:
        shutil.copytree(written / name / _package(name), together / _package(name))
        for path in (written / name / "tests").glob("*.py"):
            shutil.copy(path, together / f"{path.stem}_of_{_package(name)}.py")
    shutil.copy(ROOT / "examples" / "medians.py", together)
    with (together / "pyproject.toml").open("a") as file:
        file.write(UNFOLLOWED)
    # The analysis of the libraries is kept from session to session, as mypy does for its users.
    cache = request.config.cache.mkdir("mypy")
    # The reader's mypy finds the installed package: its types count, what it imports is no business of theirs.
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), "."]
    done = subprocess.run(command, cwd=together, env=environment, capture_output=True, text=True, check=False)
    # All that lies there was looked at, and an error is one of the exit code.
    files = len(list(together.rglob("*.py")))
    counted = rf"Found \d+ errors? in .* \(checked {files} source files\)"
    assert re.search(counted, done.stdout), done.stdout + done.stderr
    assert done.returncode == 1
    checked = done.stdout.splitlines()
    declared, read = [line for line in checked if "error:" in line]
    assert _package("mistaken") in declared
    assert _package("mistaken") in read
    assert 'Unexpected keyword argument "sumary" for "Metric"' in declared
    assert 'has no key "statsu"' in read
