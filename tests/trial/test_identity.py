"""What changes a trial's id, and what does not."""

import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES

import pytest

from benchkit.data.files import cache_folder
from benchkit.identity import fingerprints as fingerprints_module
from benchkit.identity import sources
from benchkit.identity.fingerprints import PROTOCOL, Fingerprints, describe_designs
from benchkit.plugin.manager import Registry, registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial.learner import FitCache, Learner
from benchkit.trial.prepared import forget, prepare

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
    "my_package/__init__.py": "",
    "my_package/mine.py": "import numpy\nfrom my_package.helper import help_me\nclass Mine:\n    pass\n",
    "my_package/helper.py": "def help_me():\n    from . import deep\n",
    "my_package/deep.py": "x = 1\n",
    "my_package/other.py": "class Other:\n    pass\n",
    "my_package/numbers.py": "def load():\n    pass\n",
    "my_package/unrelated.py": "",
    "data/numbers.txt": "1 2 3",
}
SUITE = {"name": "s", "datasets": ["numbers"], "algorithms": ["mine", "other"]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Of a package, and of data."""
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def ids(folder, write_plugin, write_suite):
    """What computes the ids of the trials of a plugin's two methods."""

    def ids(beside="", plugin=PLUGIN, **changes):
        registry = Registry([write_plugin(plugin), write_plugin(beside, "beside.py")])
        trials = expand(load(write_suite({**SUITE, **changes})), registry)
        identities = Fingerprints(registry).identify_all(trials)
        assert len(set(identities)) == len(trials)  # also of entries that differ in their labels alone
        return {trial.algorithm.name: identity for trial, identity in zip(trials, identities, strict=True)}

    return ids


def changed(before, after):
    return {name for name in before if before[name] != after.get(name)}


def test_a_line_in_a_source_or_a_byte_of_a_file_counts_and_no_comment_or_docstring(folder, ids):
    decides = {"my_package/mine.py": {"mine"}, "my_package/helper.py": {"mine"}, "my_package/deep.py": {"mine"}}
    decides |= {"my_package/other.py": {"other"}, "my_package/unrelated.py": set()}
    before = ids()
    for path in MODULES:
        with (folder / path).open("a") as file:
            file.write("line = 1\n")
        after = ids()
        assert changed(before, after) == decides.get(path, {"mine", "other"}), path
        before = after
    mine = folder / "my_package" / "mine.py"
    mine.write_text('"""Text."""\n# a comment\n' + mine.read_text().replace("pass", '"""More text."""\n    pass'))
    assert ids() == before


KINDS = {"tuners": "Tuner", "splits": "SplitMethod", "preprocessing_steps": "PreprocessingStep"}
BESIDE = "from benchkit import PreprocessingStep, SplitMethod, Tuner, hookimpl\nclass Made:\n    pass\n"
for kind, declared in KINDS.items():
    BESIDE += f"@hookimpl\ndef benchkit_{kind}():\n    return [{declared}(name='mine-too', make=Made)]\n"
TUNED = {"algorithms": [{"name": "mine", "tune": [{"grid": {"C": [1.0]}, "search": "mine-too"}]}, "other"]}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, set()),
        (TUNED, {"mine"}),
        ({"split": {"method": "mine-too"}}, {"mine", "other"}),
        ({"preprocess": ["mine-too"]}, {"mine", "other"}),
    ],
)
def test_what_a_file_declares_decides_the_trials_that_use_it_alone(ids, asked, expected):
    assert changed(ids(beside=BESIDE, **asked), ids(beside=BESIDE.replace("pass", "x = 1"), **asked)) == expected


HELD = """
from functools import partial
from benchkit import Algorithm, hookimpl
from code_behind import Behind

def closed(C):
    return lambda **params: Behind(C=C, **params)

class Maker:
    def __init__(self, C):
        self.C = C
    def __call__(self, **params):
        return Behind(C=self.C, **params)

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="held", make=MADE)]
"""


@pytest.mark.parametrize("made", ["partial(Behind, C=1)", "closed(1)", "Maker(1)", "Maker(1).__call__"])
def test_what_a_partial_a_closure_or_an_instance_of_a_package_holds_counts(made, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def algorithm(text, code):
        for name, content in (("code_behind", code), ("declares_made_things", text)):
            monkeypatch.delitem(sys.modules, name, raising=False)
            (tmp_path / f"{name}.py").write_text(content)
        importlib.invalidate_caches()
        registry, plugin = Registry(), importlib.import_module("declares_made_things")
        registry.manager.register(plugin, name="of-a-package")
        (registry.algorithms["held"],) = plugin.benchkit_algorithms()
        object.__setattr__(registry.algorithms["held"], "declared_by", "of-a-package")
        return Fingerprints(registry).code("algorithm", "held")

    text, code = HELD.replace("MADE", made), "class Behind:\n    x = 1\n"
    before = algorithm(text, code)
    assert algorithm(text, code + "# a comment\n") == before
    assert algorithm(text.replace("1)", "2)"), code) != before
    assert algorithm(text, code.replace("1", "2")) != before


def chosen_by(*metrics, **stage):
    algorithms = [{"name": "mine", "tune": {"grid": {"C": [1, 2]}, **stage}}, "other"]
    return {"algorithms": algorithms, "metrics": list(metrics)}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"title": "Another title"}, set()),
        ({}, {"seed": 1}, {"mine", "other"}),
        ({}, {"preprocess": ["standardize"]}, {"mine", "other"}),
        ({}, {"feature_values": "mutual-information"}, {"mine", "other"}),
        ({}, {"split": {"train": 0.6}}, {"mine", "other"}),
        ({}, {"split": {"repetitions": 1}}, set()),
        ({}, {"metrics": ["accuracy"]}, set()),
        ({}, {"algorithms": [{"name": "mine", "params": {"C": 2}}, "other"]}, {"mine"}),
        ({}, {"algorithms": [{"name": "mine", "label": "ours"}, {"name": "other", "label": "theirs"}]}, set()),
        ({}, {"algorithms": [{"name": "mine", "label": "again"}, "other", "mine"]}, {"mine"}),
        ({}, {"expect": [{"claim": "it is better", "order": ["mine", "other"], "needs": "time"}]}, set()),
        (chosen_by("error"), chosen_by("error", "accuracy"), set()),
        (chosen_by("error"), chosen_by("accuracy", "error"), {"mine"}),
        (chosen_by("error", metric="accuracy"), chosen_by("recall", metric="accuracy"), set()),
        (chosen_by("error", "recall"), chosen_by("r2", "error"), set()),  # r2 does not judge classes
    ],
)
def test_what_a_suite_says(ids, before, after, expected):
    assert changed(ids(**before), ids(**after)) == expected


def test_versions_of_imported_distributions_count_and_the_number_of_the_protocol(ids, monkeypatch):
    before = ids()
    with monkeypatch.context() as patch:
        patch.setattr(fingerprints_module, "PROTOCOL", PROTOCOL + 1)
        assert changed(before, ids()) == {"mine", "other"}
    real, packages = sources.installed()
    for name, expected in (("mlflow", set()), ("benchkit", set()), ("numpy", {"mine", "other"})):
        monkeypatch.setattr(sources, "installed", lambda name=name: ({**real, name: "0"}, packages))
        assert changed(before, ids()) == expected


LOADED = ["import_module('my_package.unrelated')", "__import__('my_package.unrelated')", "from my_package import fast"]


@pytest.mark.parametrize("load_it", LOADED)
def test_modules_that_are_imported_by_name_or_compiled(folder, ids, load_it):
    with (folder / "my_package" / "mine.py").open("a") as file:
        file.write(f"from importlib import import_module\ndef later():\n    {load_it}\n")
    compiled = folder / "my_package" / f"fast{EXTENSION_SUFFIXES[0]}"
    compiled.write_bytes(b"one")
    before = ids()
    compiled.write_bytes(b"two")
    (folder / "my_package" / "unrelated.py").write_text("x = 2\n")
    assert changed(before, ids()) == {"mine"}


def test_declared_inputs(ids, monkeypatch, tmp_path):
    """Files, of which two may have one name, folders and variables of the environment."""
    first, second = (tmp_path / folder / "numbers.txt" for folder in ("first", "second"))  # as the data file is called
    for place in (first, second):
        place.parent.mkdir()
        place.write_text("0")
    inputs = [str(first), str(second), str(tmp_path / "tables"), "$MY_SWITCH"]
    text = PLUGIN.replace('other:Other"', f'other:Other", inputs={inputs!r}')
    deep = tmp_path / "tables" / "deep"
    before = ids(plugin=text)
    assert ids(plugin=text) == before
    for change in (
        lambda: first.write_text("1"),
        lambda: second.write_text("1"),
        lambda: deep.mkdir(parents=True),
        lambda: (deep / "one.json").write_text("1"),
        lambda: (deep / "one.json").rename(deep / "two.json"),
        lambda: monkeypatch.setenv("MY_SWITCH", "on"),
    ):
        change()
        before, earlier = ids(plugin=text), before
        assert changed(earlier, before) == {"other"}


def test_an_editable_distribution_is_followed_by_its_sources(folder, ids, request):
    def look_anew():
        sources.installed.cache_clear()
        sources.is_source.cache_clear()

    request.addfinalizer(look_anew)
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("my_package\n")
    for origin, expected in (("{}", set()), ('{"dir_info": {"editable": true}}', {"mine"})):
        (info / "direct_url.json").write_text(origin)
        look_anew()
        before = ids()
        (folder / "my_package" / "deep.py").write_text(f"x = {len(origin)}\n")
        assert changed(before, ids()) == expected


@pytest.mark.empty_cache
def test_what_was_parsed_is_kept_by_content_and_what_is_damaged_is_parsed_again(folder, ids, monkeypatch):
    before = ids()
    kept = [*cache_folder().glob("syntax/*.json")]
    with monkeypatch.context() as patch:
        patch.setattr("benchkit.identity.sources.ast.parse", lambda source: pytest.fail("parsed again"))
        assert ids() == before
    for damage in ("{", "[1]", '{"a": 1}', "\udc80"):
        for path in kept:
            path.write_text(damage, errors="surrogatepass")
        assert ids() == before
    mine = folder / "my_package" / "mine.py"
    mine.write_text(mine.read_text() + "x = 1\n")
    assert changed(before, ids()) == {"mine"}


def test_a_plugin_file_decides_what_it_names_elsewhere(ids):
    """It may patch, when it is imported, the class that it declares."""
    patching = PLUGIN + "\nimport my_package.mine\nmy_package.mine.Mine.fit = lambda self, X, y: self\n"
    before = ids(plugin=patching)
    further = "my_package.mine.Mine.predict = len\n"
    assert changed(before, ids(plugin=patching + further)) == {"mine", "other"}
    assert changed(before, ids(plugin=patching + "# a comment\n")) == set()
    for name in ("my_package", "my_package.mine"):
        del sys.modules[name]  # other tests have another package of this name


@pytest.mark.parametrize(("axis", "alike"), [({}, True), ({"parameter": "algorithm.C", "values": [1, 2]}, False)])
def test_a_budget_is_part_of_the_question_unless_it_is_the_axis(axis, alike):
    """Published rows join by it: those of a weaker attack may not stand beside those of a stronger one."""
    known, questions = registry(), []
    for budget in (1, 2):
        suite = {"name": "s", "datasets": ["breast"], "algorithms": ["svm"], **({"axis": axis} if axis else {})}
        suite |= {"adversaries": [{"name": "random-delete", "budgets": [budget]}]}
        trials = dict(enumerate(expand(load(suite), known)))
        questions.append(describe_designs(trials, Fingerprints(known))["designs"].keys())
    assert (questions[0] == questions[1]) == alike


WITHIN = """
from benchkit import Algorithm, hookimpl

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="outer", make="sklearn.ensemble:BaggingClassifier", algorithm_param="estimator"),
        Algorithm(name="outer-undeclared", make="sklearn.ensemble:BaggingClassifier"),
        Algorithm(name="inner", make="inner_of_mine:Inner"),
    ]
"""


@pytest.mark.parametrize(
    ("own", "axis"),
    [
        ({"params": {"estimator": "inner"}}, {}),
        ({}, {"axis": {"parameter": "algorithm.estimator", "values": ["inner"]}}),
        ({"tune": [{"space": {"estimator": ["svm", "inner"]}, "search": "random", "candidates": 2}]}, {}),
    ],
)
def test_a_method_within_another_decides_its_trials(own, axis, tiny, tmp_path, write_plugin, write_suite, monkeypatch):
    """Its code, and the versions of its packages; in fits that are kept, too."""
    monkeypatch.syspath_prepend(tmp_path)
    plugin, names = write_plugin(WITHIN), ["outer", "outer-undeclared"]
    tiny |= {"algorithms": [{"name": name, **own} for name in names], "adversaries": []}
    tiny["split"]["repetitions"] = 1
    suite = write_suite(tiny | axis)

    def identities(content):
        (tmp_path / "inner_of_mine.py").write_text(content)
        registry = Registry([plugin])
        trials, fingerprints = expand(load(suite), registry, (str(plugin),)), Fingerprints(registry)
        ids = fingerprints.identify_all(trials)
        forget()
        fits = [Learner(trial, prepare(trial), FitCache(None)).sources for trial in trials]
        methods = describe_designs(dict(zip(ids, trials, strict=True)), fingerprints)["methods"].values()
        assert "algorithm:inner" in fingerprints.sources(trials[0])
        return [dict(zip(names, of_each, strict=True)) for of_each in (ids, fits, methods)]

    before, after = identities("import sklearn\n"), identities("import sklearn\nrate = 2\n")
    assert [changed(old, new) for old, new in zip(before, after, strict=True)] == [{"outer"}] * 3
    real, packages = sources.installed()
    monkeypatch.setattr(sources, "installed", lambda: ({**real, "pandas": "0"}, packages))
    assert identities("import sklearn, pandas\n")[2]["outer"]["versions"]["pandas"] == "0"


def test_a_package_that_is_half_installed_is_none(tmp_path, monkeypatch):
    (tmp_path / "half-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert None not in sources.installed.__wrapped__()[0]
