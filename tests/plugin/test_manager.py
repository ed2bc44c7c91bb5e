"""Plugins are found, and broken ones are named without taking the rest down."""

import os
import subprocess
import sys
from compileall import compile_file

import pytest

import benchkit
from benchkit.plugin.declarations import Algorithm, Dataset, DeclarationError, Deferred, Metric
from benchkit.plugin.manager import UnknownNameError, discover

GOOD = """
from benchkit import Algorithm, hookimpl

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier")]
"""


def test_first_party_plugins_are_found_without_problems():
    found = discover()
    assert found.problems == []
    assert {"svm", "lp", "o2b", "fdrop", "constant", "logistic-regression"} <= set(found.algorithms)
    assert {"greedy-delete", "random-delete", "named-delete"} <= set(found.adversaries)
    assert {"breast", "digits", "spambase", "label-copies"} <= set(found.datasets)
    assert {"error", "accuracy"} <= set(found.metrics)


def test_registry_makes_estimators_and_loads_data():
    estimator = benchkit.registry().algorithms["svm"].make(C=3.0)
    assert estimator.get_params()["C"] == 3.0
    assert estimator.get_params()["kernel"] == "linear"
    assert not hasattr(estimator, "coef_")
    data = benchkit.registry().datasets["breast"].load()
    assert data.X.shape == (569, 10)
    assert sorted(set(data.y)) == [-1, 1]


def test_a_file_is_a_plugin(write_plugin):
    found = discover([write_plugin(GOOD)])
    assert found.problems == []
    assert type(found.algorithms["ridge"].make()).__name__ == "RidgeClassifier"
    assert found.algorithms.origin["ridge"] == "my_plugin"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("def broken(:", "SyntaxError"),
        ("import a_module_that_is_not_there", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        (
            GOOD.replace("benchkit_algorithms", "benchkit_algoritms"),
            "unknown hook 'benchkit_algoritms'; did you mean 'benchkit_algorithms'?",
        ),
        (GOOD.replace("@hookimpl", ""), "declares nothing: its functions need @benchkit.hookimpl"),
        (GOOD.replace("return [", "return (").replace("]", ")"), "returned one Algorithm, expected a list"),
        (GOOD.replace('name="ridge"', 'name="svm"'), "'svm' is already declared by plugin 'baselines'"),
        (GOOD.replace('name="ridge"', 'name="My Ridge"'), "not lower-case words"),
        (
            GOOD.replace('make="sklearn.linear_model:RidgeClassifier"', 'make="sklearn.linear_model"'),
            "module:attribute",
        ),
        (GOOD.replace("return [", "return 3 #"), "benchkit_algorithms() failed: TypeError"),
        (GOOD.replace("return [", "return ['ridge'] #"), "returned 'ridge', expected Algorithm"),
    ],
)
def test_a_broken_plugin_is_named_in_one_line_and_the_rest_stays(write_plugin, text, reason):
    found = discover([write_plugin(text)])
    (problem,) = found.problems
    assert problem.plugin == "my_plugin"
    assert reason in str(problem)
    assert "\n" not in str(problem)
    assert "svm" in found.algorithms


def test_an_edit_that_leaves_size_and_time_is_seen(write_plugin):
    """By which Python tells whether the bytecode that it keeps is of the file."""
    times = []
    for name in ("first", "other"):
        file = write_plugin(GOOD.replace("ridge", name))
        compile_file(str(file), quiet=2, force=not times)
        times = times or [file.stat().st_atime_ns, file.stat().st_mtime_ns]
        os.utime(file, ns=tuple(times))
        assert name in discover([file]).algorithms


def test_a_missing_plugin_file_is_a_problem(tmp_path):
    (problem,) = discover([tmp_path / "absent.py"]).problems
    assert "no such file" in str(problem)


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'svm'"):
        benchkit.registry().algorithms["smv"]


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Algorithm(name="x", make=3),
        lambda: Algorithm(name="x", make="a:B", tasks="classification"),
        lambda: Dataset(name="x", load="a:b", task="clustering"),
        lambda: Metric(name="", compute="a:b"),
        lambda: benchkit.Adversary(name="x", make="a:B", phase="night"),
        lambda: benchkit.Adversary(name="x", make="a:B", requires="magic"),
    ],
)
def test_nonsense_is_refused_where_it_is_declared(declare):
    with pytest.raises(DeclarationError):
        declare()


def test_deferred_joins_defaults_and_arguments():
    made = Deferred("builtins:dict", {"a": 1, "b": 2})
    assert made(b=3) == {"a": 1, "b": 3}
    assert made.module == "builtins"


def test_files_of_one_name_live_side_by_side(write_plugin, tmp_path):
    (tmp_path / "other").mkdir()
    first = write_plugin(GOOD)
    second = tmp_path / "other" / "my_plugin.py"
    second.write_text(GOOD.replace('name="ridge"', 'name="bridge"'))
    taken = tmp_path / "baselines.py"
    taken.write_text(GOOD.replace('name="ridge"', 'name="fridge"'))
    found = discover([first, first, second, taken])
    assert found.problems == []
    assert {"ridge", "bridge", "fridge", "constant", "svm"} <= set(found.algorithms)


def test_packages_whose_plugins_have_one_name_live_side_by_side(tmp_path, monkeypatch):
    """Whoever is called ``reports``, as benchkit's own plugin of report formats, takes nothing away."""
    names = {"one_package": "mine", "other_package": "mine", "third_package": "reports"}
    for place, (package, entry) in enumerate(names.items()):
        (tmp_path / f"{package}.py").write_text(GOOD.replace('name="ridge"', f'name="ridge-{place}"'))
        metadata = tmp_path / f"{package}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[benchkit]\n{entry} = {package}\n")
    before = discover()
    monkeypatch.syspath_prepend(tmp_path)
    found = discover()
    assert found.problems == []
    assert {"ridge-0", "ridge-1", "ridge-2"} <= set(found.algorithms)
    assert set(found.report_formats) == set(before.report_formats) != set()
    assert before.plugins.items() < found.plugins.items()
    assert {found.algorithms.origin[f"ridge-{place}"] for place in range(3)} == {
        "mine",
        "mine (other_package)",
        "reports (third_package)",
    }


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
        (tmp_path / f"{package}.py").write_text(text)
        metadata = tmp_path / f"{package}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[benchkit]\n{package} = {package}\n")
    code = "import benchkit; print(benchkit.tidy(), [str(each) for each in benchkit.registry().problems])"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""
    assert ended.stdout.startswith("tidied [")
    assert ended.stdout.count("cannot be loaded from wrong_package") == 1


def test_a_hook_that_raises_is_blamed_on_its_file(write_plugin):
    path = write_plugin(GOOD.replace("name=", "nme="))
    (problem,) = discover([path]).problems
    assert str(problem).startswith(f"plugin 'my_plugin': {path}: benchkit_algorithms() failed: TypeError: ")
    assert "nme" in str(problem)


def test_a_hook_that_exits_is_a_problem(write_plugin):
    text = GOOD.replace("    return [", "    raise SystemExit(5)\n    return [")
    (problem,) = discover([write_plugin(text)]).problems
    assert "benchkit_algorithms() failed: SystemExit: 5" in str(problem)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("benchkit_api = 2", "written for version 2 of the plugin API, this benchkit has 1: upgrade benchkit"),
        ("benchkit_api = 0", "written for version 0 of the plugin API, this benchkit has 1: upgrade the plugin"),
        ("benchkit_api = '1.0'", "benchkit_api is '1.0', expected a whole number such as 1"),
    ],
)
def test_a_plugin_of_another_api_is_named_and_left_out(write_plugin, line, reason):
    found = discover([write_plugin(GOOD + line)])
    (problem,) = found.problems
    assert reason in str(problem)
    assert "ridge" not in found.algorithms
    assert "svm" in found.algorithms


def test_a_plugin_of_this_api_is_taken(write_plugin):
    assert discover([write_plugin(GOOD + "benchkit_api = 1")]).problems == []


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("import absent_library.part", "install what provides 'absent_library' (often: pip install absent_library)"),
        (GOOD.replace('name="ridge"', 'name="svm"'), "rename one of them"),
        ("def broken(:", "(my_plugin.py, line 1)"),
    ],
)
def test_a_problem_says_what_to_do(write_plugin, text, remedy):
    (problem,) = discover([write_plugin(text)]).problems
    assert remedy in str(problem)
