"""Files that no person would write as a suite end in one line, at once, and hold no memory."""

import itertools
import time
import tracemalloc

import pytest

from benchkit.suite import yaml_text
from benchkit.suite.load import load
from benchkit.suite.source import SuiteError

BASE = "name: t\ndatasets: [breast]\nsplit: {train: 20, test: 20}\nalgorithms: [constant]\n"
LEVELS = "abcdefghi"


def bomb(last):
    """Nine levels of nine aliases each: 510 bytes that stand for 9 ** 9 values."""
    lines = ["x-a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for before, name in itertools.pairwise(LEVELS):
        lines.append(f"x-{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    return "\n".join(lines) + "\n" + last


MERGES = "x-a: &a {k: 1}\n" + "".join(
    f"x-{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n" for before, name in itertools.pairwise(LEVELS)
)
CASES = {
    "alias bomb": (bomb(BASE), "more than 200000 values"),
    "alias bomb in parameters": (bomb(BASE).replace("[breast]", "[{name: breast, params: {a: *i}}]"), "200000 values"),
    "bomb of merged mappings": (MERGES + BASE, "more than 200000 values"),
    "bomb of one long text": ("x-a: &a " + "y" * 99_000 + "\nx-b: [" + "*a," * 99 + "]\n" + BASE, "200000 values"),
    "an anchor in itself": ("x-a: &a [*a]\n" + BASE, ":1: .*an anchor holds itself"),
    "10 MB": (BASE + "description: |\n" + "  a line of text\n" * 600_000, "larger than 1 MB"),
    "400 digits": (BASE + f"adversaries: [{{name: random-delete, budgets: [1{'0' * 400}]}}]", ":5: .*401 digits"),
    "5000 digits": (BASE + f"seed: 1{'0' * 5000}", ":5: .*5001 digits"),
    "NUL": (BASE + r'plugins: ["a\0b.py"]', ":5: .*NUL"),
    "NUL in a key": (BASE + r'"x-\0": 1', ":5: .*NUL"),
    "a surrogate": (BASE + r'title: "\ud800"', ":5: .*surrogate"),
    "train: true": (BASE.replace("train: 20", "train: true"), ":3: split.train: True is not a size"),
    "tolerance: true": (BASE + "expect: [{claim: c, algorithm: constant, value: 1, tolerance: true}]", "not a number"),
    "a claim of NaN": (BASE + "expect: [{claim: c, algorithm: constant, value: .nan}]", "nan is not a finite number"),
    "a tolerance of NaN": (BASE + "expect: [{claim: c, algorithm: constant, value: 1, tolerance: .nan}]", "finite"),
    "between NaN": (BASE + "expect: [{claim: c, algorithm: constant, between: [.nan, 1]}]", "lower end"),
    "endless hours": (BASE + "hours: .inf", "inf is not a finite number"),
    "NaN on the axis": (BASE + "axis: {parameter: algorithm.C, values: [.nan]}", "nan is no value"),
    "a metric twice": (BASE + "metrics: [error, error]", ":5: metrics: the metric 'error' is listed twice"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_ends_in_one_line_and_soon(write_suite, name):
    text, message = CASES[name]
    path = write_suite(text)
    started = time.process_time()
    with pytest.raises(SuiteError, match=message) as caught:
        load(path)
    # Processor time, of which a bomb takes hours and each of these a hundredth of a second, on a machine however busy.
    assert time.process_time() - started < 60
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300 + len(path)


def test_a_bomb_holds_no_memory():
    tracemalloc.start()
    with pytest.raises(yaml_text.yaml.YAMLError, match="200000 values"):
        yaml_text.parse(bomb(BASE))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6


def test_aliases_that_people_write_are_read():
    text = "x-grid: &grid {C: [1, 2]}\na: [*grid, *grid]\nb: {<<: *grid, D: 1}\n"
    grid = {"C": [1, 2]}
    assert yaml_text.parse(text) == {"x-grid": grid, "a": [grid, grid], "b": {"C": [1, 2], "D": 1}}


def test_a_list_of_ten_thousand_feature_values_is_read(write_suite):
    text = BASE + f"feature_values: [{', '.join(str(n / 7) for n in range(10_000))}]\n"
    assert len(load(write_suite(text)).suite.feature_values) == 10_000


def test_lists_longer_than_any_suite_has():
    for key in ("algorithms", "datasets", "adversaries"):
        with pytest.raises(SuiteError, match=f"{key}: 10001 entries, of which a suite has 10000 at most"):
            load({"name": "long", "datasets": ["a"], "algorithms": ["b"], key: [1] * 10_001})
