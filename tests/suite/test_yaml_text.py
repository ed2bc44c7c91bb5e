"""Numbers as YAML 1.2 has them, both ways."""

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchkit.suite.yaml_text import parse, parse_with_lines, write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("1e3", 1000.0), ("-2.5E-3", -0.0025), (".5e1", 5.0), ("1.e2", 100.0), ("1", 1), ("1.5", 1.5)],
        *[("'1e3'", "1e3"), ("[true, False]", [True, False])],
        *[(word, word) for word in ("yes", "no", "on", "off", "Yes", "NO", "y")],
        *[(text, yaml.safe_load(text)) for text in ("e3", "1e", "1e3x", "0x1e3", "1-e3", "v1e3")],
    ],
)
def test_numbers_truth_values_and_what_only_looks_like_them(text, value):
    result = parse(f"key: {text}")["key"]
    assert (result, type(result)) == (value, type(value))


# PyYAML does not write every control character so that it can read it.
texts = st.text(st.characters(exclude_categories=("C", "Z"))) | st.from_regex(r"\A[0-9]+e[0-9]+\Z")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # drawing is slow on a loaded machine
@given(values=values)
def test_what_is_written_is_read_back(values):
    assert parse(write(values)) == values


def test_aliases_that_people_write_are_read_and_own_keys_know_their_lines():
    text = "x-grid: &grid {C: [1, 2], D: 3}\na: [*grid, *grid]\nb: {<<: *grid,\n  D: 1}\nc: {<<: *grid}\n"
    grid = {"C": [1, 2], "D": 3}
    values, lines = parse_with_lines(text)
    assert values == {"x-grid": grid, "a": [grid, grid], "b": {"C": [1, 2], "D": 1}, "c": grid}
    assert list(values) == ["x-grid", "a", "b", "c"]
    assert lines["b", "D"] == 4
