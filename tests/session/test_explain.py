"""The reasons why trials run again, by causing each."""

import pytest

from benchkit.identity import sources
from benchkit.session.plan import Request, plan_suite
from benchkit.session.preview import combinations, reasons
from benchkit.session.run import run

PLUGIN = """
import numpy
from benchkit import Algorithm, Data, DataFile, Dataset, hookimpl, require_file

def load():
    X = numpy.loadtxt(require_file("numbers.txt")).reshape(-1, 1)
    return Data(X=X, y=numpy.where(numpy.arange(len(X)) % 2, 1, -1))

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name=name, make=f"explained_package.{name}:Own") for name in ("mine", "other")]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load=load, files=[DataFile(name="numbers.txt")])]
"""
ESTIMATOR = "from sklearn.linear_model import LogisticRegression\nclass Own(LogisticRegression):\n    pass\n"


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Arguments of `plan` for a suite that ran once, and the folder of its sources."""
    folder = tmp_path_factory.mktemp("explained")
    package = folder / "explained_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in ("mine", "other"):
        (package / f"{name}.py").write_text(ESTIMATOR)
    (folder / "numbers.txt").write_text("\n".join(map(str, range(40))))
    (folder / "my_plugin.py").write_text(PLUGIN)
    others = [{"name": "other", "params": {"C": 2}}, {"name": "other", "label": "bad", "params": {"C": -1}}]
    content = {"name": "s", "datasets": ["numbers"], "algorithms": ["mine", *others], "split": {"repetitions": 2}}
    arguments = {"suite": content, "plugins": [folder / "my_plugin.py"], "out": folder / "runs"}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("BENCHKIT_DATA", str(folder))
        run(**arguments, executor="inline", tracking=False)
        yield arguments, folder


def why(arguments, **changes):
    return reasons(plan_suite(Request(**arguments, **changes)))


FAILED, SETTING = {"failed before": 2}, "a setting of the suite changed"


def test_a_version(suite, monkeypatch):
    arguments, _ = suite
    real, packages = sources.installed()
    monkeypatch.setattr(sources, "installed", lambda: ({**real, "numpy": "0"}, packages))
    assert why(arguments, only={"algorithm": "mine"}) == {"numpy changed": 2}


@pytest.mark.parametrize(
    ("settings", "counts"),
    [
        ({"seed": 3}, {SETTING: 6}),
        ({"split.train": 0.6}, {SETTING: 6}),
        ({"split.repetitions": 3}, FAILED),
        ({"algorithms": [{"name": "mine", "params": {"C": 3}}]}, {SETTING: 2}),
        ({"algorithms": [{"name": "mine", "label": "mine-too"}]}, {}),
        ({"algorithms": [{"name": "mine", "label": "mine-too", "params": {"C": 4}}]}, {}),
    ],
)
def test_settings(suite, settings, counts):
    assert why(suite[0], settings=settings) == counts


def test_reused_failed_a_source_and_a_data_file(suite):
    arguments, folder = suite
    rows = combinations(plan_suite(Request(**arguments)))
    counts = [(row["algorithm"], row["trials"], row["reused"]) for row in rows]
    assert counts == [("mine", 2, 2), ("other", 2, 2), ("bad", 2, 0)]
    with (folder / "explained_package" / "mine.py").open("a") as file:
        file.write("# a comment\n")
    assert why(arguments) == FAILED
    with (folder / "explained_package" / "mine.py").open("a") as file:
        file.write("line = 1\n")
    assert why(arguments) == FAILED | {"explained_package.mine changed": 2}
    with (folder / "numbers.txt").open("a") as file:
        file.write("\n41\n")
    file = "file numbers.txt"
    assert why(arguments) == {f"{file}, explained_package.mine changed": 2, f"{file} changed": 4}
