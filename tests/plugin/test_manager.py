"""Plugins are found, and broken ones are named without taking the rest down."""

import ast
import os
import subprocess
import sys
from compileall import compile_file
from pathlib import Path

import pytest

import benchkit
from benchkit.plugin.manager import Registry
from tests.conftest import PATIENCE

GOOD = """
from benchkit import Algorithm, hookimpl

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier")]
"""


def test_first_party_plugins_are_found_without_problems():
    found = Registry()
    assert found.problems == []
    assert {"svm", "lp", "o2b", "fdrop", "constant", "logistic-regression"} <= set(found.algorithms)
    assert {"greedy-delete", "random-delete", "named-delete"} <= set(found.adversaries)
    assert {"breast", "digits", "spambase", "label-copies"} <= set(found.datasets)
    assert {"error", "accuracy"} <= set(found.metrics)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("def broken(:", "(my_plugin.py, line 1)"),
        ("import absent_library.part", "install what provides 'absent_library' (often: pip install absent_library)"),
        ("import beside", "a plugin file imports nothing beside it: put both into a package, 'benchkit new plugin'"),
        ("from . import beside", "put both into a package"),
        ("raise SystemExit(3)", "SystemExit"),
        (GOOD.replace("benchkit_algorithms", "benchkit_algoritms"), "did you mean 'benchkit_algorithms'?"),
        (GOOD.replace("@hookimpl", ""), "declares nothing: its functions need @benchkit.hookimpl"),
        (GOOD.replace("return [", "return (").replace("]", ")"), "'Algorithm' object is not iterable"),
        (GOOD.replace('name="ridge"', 'name="svm"'), "'svm' is already declared by plugin 'baselines': rename one of"),
        (GOOD.replace("name=", "nme="), "my_plugin.py: benchkit_algorithms() failed: TypeError"),
        (GOOD.replace("    return [", "    raise SystemExit(5)\n    return ["), "failed: SystemExit: 5"),
        (GOOD + "benchkit_api = 2", "benchkit_api is 2, and this benchkit has version 1: upgrade"),
        (GOOD.replace('name="ridge"', 'name="My Ridge"'), "not lower-case words"),
        (GOOD.replace(":RidgeClassifier", ""), "module:attribute"),
        (GOOD.replace("return [", "return ['ridge'] #"), "returned a str, expected Algorithm"),
    ],
)
def test_a_broken_plugin_is_named_in_one_line_and_the_rest_stays(write_plugin, text, reason):
    path = write_plugin(text)
    path.with_name("beside.py").touch()
    found = Registry([path])
    ((plugin, problem),) = found.problems
    assert plugin == "my_plugin"
    assert reason in problem
    assert "\n" not in problem
    assert "ridge" not in found.algorithms
    assert "svm" in found.algorithms


def test_what_is_no_declaration_and_what_is_no_file_leave_those_beside_it(write_plugin):
    found = Registry([write_plugin(GOOD.replace("return [", "return [1, ")), "absent.py"])
    (_, missing), (_, odd) = found.problems
    assert "absent.py" in missing
    assert "expected Algorithm" in odd
    assert "ridge" in found.algorithms


def test_an_edit_that_leaves_size_and_time_is_seen(write_plugin):
    """By which Python tells whether the bytecode that it keeps is of the file."""
    times = []
    for name in ("first", "other"):
        file = write_plugin(GOOD.replace("ridge", name))
        compile_file(str(file), quiet=2, force=not times)
        times = times or [file.stat().st_atime_ns, file.stat().st_mtime_ns]
        os.utime(file, ns=tuple(times))
        assert name in Registry([file]).algorithms


def test_files_of_one_name_live_side_by_side(write_plugin, tmp_path):
    (tmp_path / "other").mkdir()
    first = write_plugin(GOOD + "benchkit_api = 1")
    second, taken = tmp_path / "other" / "my_plugin.py", tmp_path / "baselines.py"
    for path, name in ((second, "bridge"), (taken, "fridge")):
        path.write_text(GOOD.replace("ridge", name))
    found = Registry([first, first, second, taken])
    assert found.problems == []
    assert type(found.algorithms["ridge"].make()).__name__ == "RidgeClassifier"
    assert found.algorithms["ridge"].declared_by == "my_plugin"
    assert {"ridge", "bridge", "fridge", "constant", "svm"} <= set(found.algorithms)


def install(folder, package, text, entry):
    """A package of one module, as if it were installed in a folder."""
    (folder / f"{package}.py").write_text(text)
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[benchkit]\n{entry} = {package}\n")


def test_packages_whose_plugins_have_one_name_live_side_by_side(tmp_path, monkeypatch):
    """Whoever is called ``reports``, as benchkit's own plugin of report formats, takes nothing away."""
    names = {"one_package": "mine", "other_package": "mine", "third_package": "reports"}
    for place, (package, entry) in enumerate(names.items()):
        install(tmp_path, package, GOOD.replace('name="ridge"', f'name="ridge-{place}"'), entry)
    before = Registry()
    monkeypatch.syspath_prepend(tmp_path)
    found = Registry()
    assert found.problems == []
    assert {"ridge-0", "ridge-1", "ridge-2"} <= set(found.algorithms)
    assert set(found.report_formats) == set(before.report_formats) != set()
    assert before.plugins.items() < found.plugins.items()
    owners = [found.algorithms[f"ridge-{place}"].declared_by for place in range(3)]
    assert owners == ["mine", "mine (other_package)", "reports (third_package)"]


def test_the_function_of_a_command_is_under_its_name(tmp_path):
    """Also where another plugin asks benchkit, while plugins are found, for a name that there is not."""
    modules = {
        "tidy_package": """
from benchkit import Command, hookimpl

@hookimpl
def benchkit_commands():
    return [Command(name="tidy", run="tidy_package:tidy", function="tidy_package:tidy", summary="Tidy")]

def tidy():
    return "tidied"
""",
        "wrong_package": "from benchkit import tidies",
    }
    for package, text in modules.items():
        install(tmp_path, package, text, package)
    code = "import benchkit; print(benchkit.tidy(), benchkit.registry().problems)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.stderr == ""
    assert ended.stdout.startswith("tidied [")
    assert ended.stdout.count("cannot be loaded from wrong_package") == 1


# Words of the core's own that are also names: `impute: mean`, `monotone: constant`, losses to outliers; and the methods
# that a fixture for authors of plugins fills in.
OWN_WORDS = {
    "mean": "answers tables points schema adversary",
    "scale": "schema names preparation",
    "constant": "claims forms preparation pytest_plugin",
    "outliers": "adversary",
    "published": "results",
    "greedy-delete": "pytest_plugin",
}


def test_the_core_names_no_method_adversary_or_row_source_of_a_plugin():
    """Not by text either: what it has to know of one is declared. Texts in docstrings and of templates are examples."""
    known = Registry()
    names = {*known.algorithms, *known.adversaries, *known.row_sources}
    core = Path(benchkit.__file__).parent
    named = {}
    for path in sorted(core.rglob("*.py")):
        texts = [each.value for each in ast.walk(ast.parse(path.read_bytes())) if isinstance(each, ast.Constant)]
        said = {name for name in names if name in texts and path.stem not in OWN_WORDS.get(name, "").split()}
        # Templates are examples, and an installed benchkit brings the plugin files of its suites along.
        if said and not {"templates", "suites"} & {*path.relative_to(core).parts}:
            named[str(path.relative_to(core))] = said
    assert named == {}
