"""Plugins are found, and broken ones are named without taking the rest down."""

import ast
import math
import os
import subprocess
import sys
from compileall import compile_file
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import benchkit
from benchkit import Categories, Features, check_choice, check_count, check_not_negative, check_positive
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Algorithm, Dataset, DeclarationError, Deferred, Metric
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry
from tests.conftest import PATIENCE

GOOD = """
from benchkit import Algorithm, hookimpl

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier")]
"""


def test_a_class_in_a_file_of_this_folder_is_not_to_be_installed(here, write_suite, write_plugin):
    write_plugin("from sklearn.svm import LinearSVC", "mine.py")
    suite = {"name": "mine", "datasets": ["breast"], "algorithms": [{"estimator": "mine:LinearSVC"}]}
    ended = here("plan", write_suite(suite))
    assert ended.returncode == 2
    assert "PYTHONPATH=." in ended.stderr
    assert "pip" not in ended.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("def broken(:", "(my_plugin.py, line 1)"),
        ("import absent_library.part", "install what provides 'absent_library' (often: pip install absent_library)"),
        ("import beside", "a plugin file imports nothing beside it: put both into a package, 'benchkit new plugin'"),
        ("from . import beside", "put both into a package"),
        (GOOD.replace("benchkit_algorithms", "benchkit_algoritms"), "did you mean 'benchkit_algorithms'?"),
        (GOOD.replace("@hookimpl", ""), "declares nothing: its functions need @benchkit.hookimpl"),
        (GOOD.replace('name="ridge"', 'name="svm"'), "'svm' is already declared by plugin 'baselines': rename one of"),
        (GOOD.replace("name=", "nme="), "my_plugin.py: benchkit_algorithms() failed: TypeError"),
        (GOOD.replace("name=", "gird={}, name="), "did you mean 'grid'?"),
        (GOOD.replace("[", "").replace("]", ""), "return a list: [Algorithm(...)]"),
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
    "mean": "answers own_methods tables points schema adversary",
    "scale": "schema names preparation",
    "constant": "claims forms preparation pytest_plugin",
    "outliers": "adversary",
    "published": "results points standings analysis",
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


def test_any_name_of_a_file_will_do_and_what_stands_in_at_all_features_is_a_part_of_a_method(write_plugin, tmp_path):
    path = tmp_path / "my plug-in.py"
    codes = [
        Fingerprints(Registry([Path(write_plugin(text)).rename(path)])).code("algorithm", "ridge")
        for text in (GOOD, GOOD.replace("name=", "at_all_features='constant', name="))
    ]
    assert codes[0] != codes[1]


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Algorithm(name="x", make=3),
        lambda: Algorithm(name="My Name", make="a:B"),
        lambda: Algorithm(name="x", make="a:B", tasks="classification"),
        lambda: Dataset(name="x", load="a:b", task="clustering"),
        lambda: Metric(name="", compute="a:b"),
        lambda: benchkit.Adversary(name="x", make="a:B", phase="night"),
        lambda: benchkit.Adversary(name="x", make="a:B", requires="magic"),
        lambda: benchkit.Command(name="run", run="a:b"),  # benchkit's own
        lambda: benchkit.ExecutorOption(name="Big-Name"),
        lambda: benchkit.ExecutorOption(name="memory"),  # which benchkit itself gives
        lambda: benchkit.ExecutorOption(name="hours", type=int, default="3"),
    ],
)
def test_nonsense_is_refused_where_it_is_declared(declare):
    with pytest.raises(DeclarationError):
        declare()


def test_deferred_joins_defaults_and_arguments():
    assert Deferred("builtins:dict", {"a": 1, "b": 2})(b=3) == {"a": 1, "b": 3}


@given(st.lists(st.sampled_from([None, "", "a", "b", "ab", "a\0", "é", "😀"]), max_size=40))
def test_texts_come_back(texts):
    column = Categories.of(texts)
    assert column.values.tolist() == texts
    assert list(column.names) == sorted(set(texts) - {None})
    assert column.take(np.arange(len(texts))[::-1]).values.tolist() == texts[::-1]
    assert column.codes.dtype == np.int8


def test_features_are_in_the_order_of_their_first_columns_and_groups_may_not_overlap():
    features = Features(6, [[4, 1], [5, 2]])
    assert features.of_column.tolist() == [0, 1, 2, 3, 1, 2]
    sums = features.sum(np.arange(12.0).reshape(2, 6))
    assert sums.tolist() == [[0, 5, 7, 3], [6, 17, 19, 9]]
    assert features.spread(np.array([True, False, True, False])).tolist() == [True, False, True, False, False, True]
    np.testing.assert_allclose(features.sum(features.share(sums)), sums)
    columns, plain = np.arange(3.0), Features(3)
    assert plain.sum(columns) is plain.spread(columns) is plain.share(columns) is columns
    for make in (np.array, sparse.csr_matrix):
        assert Features(3, [[0, 1]]).one_hot(make([[1.0, 0, 5], [0, 2, 0], [0, 0, 1]]))
        assert not Features(3, [[0, 1]]).one_hot(make([[1.0, 1, 0]]))
    for groups in ([[0, 1], [1, 2]], [[0, 0]], [[2, 3]]):
        with pytest.raises(ValueError, match="two groups|columns are 0 to 2"):
            Features(3, groups)


@pytest.mark.parametrize(
    ("unit", "total", "budget", "wrong", "too_much"),
    [
        ("value", 9.5, 9.5, None, None),
        ("value", 9.5, 10, None, "9.5, the total value"),
        ("value", None, 4, None, "3, the number of features"),
        ("features", 9.5, 2.0, None, None),
        ("features", 9.5, 0.5, "whole numbers", None),
        ("features", 9.5, 4, None, "3, the number of features"),
        ("fraction", 9.5, 1.0, None, None),
        ("fraction", 9.5, 1.5, "at most 1", "1, the most possible"),
        ("sd", 9.5, 1e9, None, None),
        ("none", None, 0.5, None, None),
    ],
)
def test_budgets_that_cannot_be(unit, total, budget, wrong, too_much):
    for said, expected in ((UNITS[unit].check(budget), wrong), (UNITS[unit].exceeds(budget, total, 3, 1e-9), too_much)):
        assert said is None if expected is None else expected in said


def test_shares_of_what_there_is():
    for unit, share, amount in (("value", 0.2, 1.9), ("features", 0.5, 2), ("fraction", 0.1, 0.1)):
        assert UNITS[unit].amount(share, 9.5, 3) == pytest.approx(amount)  # 1.5 features are two


def test_choices_and_numbers_within_limits():
    for value, allowed in (("c", ("a", "b")), (1, (False, True)), (True, (0, 1))):
        with pytest.raises(ValueError, match="^n is "):
            check_choice(allowed, m=allowed[0], n=value)
    check_count(0, most=7, n=np.int64(0), m=7)
    with pytest.raises(ValueError, match="^n is 8, there are only 7$"):
        check_count(most=7, n=8)


@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, True, np.True_, None, "3", 1j, [1.0], math.inf, math.nan])
@pytest.mark.parametrize(
    ("check", "allowed"), [(check_count, ()), (check_positive, (1.5, 2.0)), (check_not_negative, (0, 1.5, 2.0))]
)
def test_what_is_no_number(check, allowed, value):
    with nullcontext() if value in allowed else pytest.raises(ValueError, match="^n is "):
        check(m=1, n=value)
