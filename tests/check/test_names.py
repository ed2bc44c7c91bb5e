"""Names, labels and parameters are checked against what is installed."""

import pytest

from benchkit.check.names import name_mistakes
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.manager import registry
from benchkit.suite.load import load
from benchkit.suite.names import read_title, shipped
from benchkit.suite.source import SuiteError, told_at_once
from benchkit.suite.whole_suite import Suite

GOOD = """\
name: demo
datasets: [breast, label-copies]
split: {validation: 0.25}
algorithms:
  - {name: svm, tune: {grid: {C: [1, 10]}}, datasets: [breast]}
  - {name: lp, params: {C: 1}}
adversaries:
  - {name: named-delete, params: {features: [0]}, budgets: [0, 1]}
metrics: [error]
expect:
  - {claim: it works, order: [lp, svm]}
"""


def resolve(loaded, known):
    if told := name_mistakes(loaded, Fingerprints(known), tuple(known.plugins[name] for name in known.files)):
        raise SuiteError(told_at_once(told))


# Told by their text: reading all suites takes seconds, which collecting would cost in every process.
TEXTS = {name: path.read_text() for name, path in shipped().items()}


@pytest.mark.parametrize("name", sorted(name for name in TEXTS if "\nalgorithms:" in TEXTS[name]))
def test_shipped_suites_resolve(name):
    loaded = load(name)
    assert (loaded.suite.name, loaded.suite.title) == (name, read_title(shipped()[name]))
    assert Suite.model_validate(loaded.suite.model_dump(mode="json", exclude_defaults=True)) == loaded.suite
    assert ("\nplugins:" in TEXTS[name]) == bool(loaded.suite.plugins)  # by which other tests tell
    installed = registry(tuple(str(loaded.source.path.parent / file) for file in loaded.suite.plugins))
    assert resolve(loaded, installed) is None


DATA, CLAIM = "[breast, label-copies]", "order: [lp, svm]"
ATTACK, NOISE = GOOD[GOOD.index("params: {C") : GOOD.index("metrics")], "{name: gaussian-noise, budgets: ['10%']}"
EXPECT, TWICE = "[error]\nexpect:", "datasets: [brest]}\n  - {name: fdrop, datasets: [brest]"
AXIS = "axis: {parameter: algorithm.C, values: [1, 2]}\n"
BOUNDED = "tune: {grid: {noise_budget: {up_to_budget: [2, 4]}}}}\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (DATA, "[brest, label-copies]", ":2: datasets.0: unknown dataset 'brest'; did you mean 'breast'?"),
        ("name: svm", "name: smv", ":5: algorithms.0.name: unknown algorithm 'smv'; did you mean 'svm'?"),
        ("params: {C: 1}", "params: {CC: 1}", ":6: algorithms.1.params.CC: lp has no parameter 'CC'; did you mean 'C'"),
        ("grid: {C:", "grid: {gama:", ":5: algorithms.0.tune.grid.gama: svm has no parameter 'gama'; did you mean"),
        ("[0]}", "[0], fill: none}", ":8: adversaries.0.params.fill: fill is 'none'; expected one of 'zero', 'nan'"),
        ("{C: [1, 10]}", "{kernel: [linear, rfb]}", ":5: algorithms.0.tune.grid.kernel: kernel is 'rfb'; did you mean"),
        ("name: svm,", "name: svm, params: {C: 7},", ":5: algorithms.0.params.C: 'tune' chooses C, and 7 is never"),
        ("[0, 1]", "[0, 0.5]", "budget 0.5 of named-delete"),
        ("{name: named-delete, params: {features: [0]}, budgets: [0, 1]}", NOISE, "budget 10% of gaussian-noise"),
        ("- {name: lp,", "- {name: constant, tune: {}}\n  - {name: lp,", "constant has no default grid"),
        ("{C: [1, 10]}", "{C: [1]}, search: rando", "unknown tuner 'rando'; did you mean 'random'?"),
        ("grid: {C: [1, 10]}", "search: random, space: {C: {loguniform: [-1, 2]}}", "loguniform does not take"),
        ("{C: [1, 10]}", "{C: [1]}, search: halving, options: {facto: 2}", "did you mean 'factor'?"),
        ("{validation", "{method: kfold, validation", "unknown split method 'kfold'; did you mean 'k-fold'?"),
        ("metrics:", "feature_values: unifrom\nmetrics:", "unknown feature values 'unifrom'; did you mean 'uniform'?"),
        ("[error]", "[eror]", ":9: metrics.0: unknown metric 'eror'; did you mean 'error'?"),
        ("datasets: [breast]}", "datasets: [brest]}", "unknown dataset 'brest'; did you mean 'breast'?"),
        (CLAIM, "algorithm: lp, exponent: [1, 2]", ":11: expect.0.exponent: 'exponent' needs an axis"),
        (CLAIM, f"{CLAIM}, breakdown: 0.2}}\naxis: {{parameter: dataset.m, values: [1]", "'breakdown' needs an"),
        (CLAIM, "order: [lp, svn]", ":11: expect.0.order.1: unknown algorithm 'svn'"),
        (CLAIM, "order: [lp, svm], groups: [pairs]", ":11: expect.0.groups.0: unknown group 'pairs'"),
        ("split: {validation: 0.25}", "split: {}", "tuning needs a validation part"),
        ("- {name: lp,", "- {name: lp, label: svm}\n  - {name: lp,", "label 'svm' is used twice for dataset 'breast'"),
        (DATA, "[{name: breast, colums: all}, label-copies]", "did you mean 'columns'?"),
        # What follows from another mistake is not told, and what is wrong in several places once.
        ("{validation: 0.25}", "{method: randm}", ":3: split.method: unknown split method 'randm'"),
        (EXPECT, f"[eror]\nexpect:\n  - {{claim: one, {CLAIM}, metric: error}}", "'eror'; did you mean"),
        ("params: {C: 1}", TWICE, "(also in algorithms.2.datasets.0)"),
        (DATA, "[breast, {name: csv, path: a/x.csv}, {name: csv, path: b/x.csv}]", "label 'csv' is used twice"),
        (DATA, "[breast, {name: csv, path: [1]}]", "path is [1], expected the name of"),
        (ATTACK, BOUNDED, "up_to_budget needs 'adversaries'"),
        (ATTACK, f"{BOUNDED}adversaries: [{{name: greedy-delete, budgets: [1, 4]}}]\n", "of at least its least, 2"),
        ("metrics:", "axis: {parameter: dataset.m, values: [1]}\nmetrics:", "axis.parameter"),
        ("metrics:", f"{AXIS}metrics:", ":8: adversaries.0.budgets: beside an axis an adversary has one budget"),
        ("metrics:", f"{AXIS}metrics:", "'tune' chooses C, and the axis is never used"),
        (DATA, "[housing]\nfeature_values: mutual-information", "need classes, and housing has numbers"),
    ],
)
def test_mistakes_are_told_in_one_line(write_suite, old, new, expected):
    assert old in GOOD
    with pytest.raises(SuiteError) as caught:
        resolve(load(write_suite(GOOD.replace(old, new, 1))), registry())
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value) or "axis" in new or "housing" in new  # which makes several mistakes


def test_a_declared_grid_names_parameters_of_its_estimator(write_suite, write_plugin):
    hooks = "from benchkit import Algorithm, hookimpl\n@hookimpl\ndef benchkit_algorithms():\n    return [{}]"
    path = write_plugin(hooks.format('Algorithm(name="own", make="sklearn.svm:SVC", grid={"q": [1]})'))
    text = GOOD.replace("{name: lp, params: {C: 1}}", "{name: own, tune: {}, datasets: [breast], label: lp}")
    with pytest.raises(SuiteError, match="algorithms.1.tune: own, by its default grid, has no parameter 'q'"):
        resolve(load(write_suite(text)), registry((str(path),)))
