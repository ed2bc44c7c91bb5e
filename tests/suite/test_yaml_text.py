"""Numbers as YAML 1.2 has them, both ways."""

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchkit.suite import yaml_text
from benchkit.suite.source import SuiteText


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000.0), ("-2.5E-3", -0.0025), (".5e1", 5.0), ("1.e2", 100.0), ("1", 1), ("1.5", 1.5), ("'1e3'", "1e3")],
)
def test_numbers(text, value):
    found = yaml_text.parse(f"key: {text}")["key"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["e3", "1e", "1e3x", "0x1e3", "1-e3", "v1e3"])
def test_what_only_looks_like_a_number(text):
    assert yaml_text.parse(text) == yaml.safe_load(text)


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "Yes", "NO", "y"])
def test_only_true_and_false_are_truth_values(word):
    assert yaml_text.parse(f"positive: {word}") == {"positive": word}
    assert yaml_text.parse("[true, False]") == [True, False]


# PyYAML does not write every control character so that it can read it.
texts = st.text(st.characters(exclude_categories=("C", "Z"))) | st.from_regex(r"\A[0-9]+e[0-9]+\Z")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # drawing is slow on a loaded machine
@given(values=values)
def test_what_is_written_is_read_back(values):
    assert yaml_text.parse(yaml_text.write(values)) == values


def test_keys_keep_their_order():
    assert list(yaml_text.parse(yaml_text.write({"b": 1, "a": 2}))) == ["b", "a"]


def test_aliases_that_people_write_are_read_and_own_keys_know_their_lines():
    text = "x-grid: &grid {C: [1, 2], D: 3}\na: [*grid, *grid]\nb: {<<: *grid,\n  D: 1}\nc: {<<: *grid}\n"
    grid = {"C": [1, 2], "D": 3}
    values, root = yaml_text.parse_with_lines(text)
    assert values == {"x-grid": grid, "a": [grid, grid], "b": {"C": [1, 2], "D": 1}, "c": grid}
    assert SuiteText(Path("s.yaml"), root).line(["b", "D"]) == (4, "b.D")
