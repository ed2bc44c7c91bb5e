"""Numbers as YAML 1.2 has them, both ways."""

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchkit.suite import yaml_text


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000.0), ("-2.5E-3", -0.0025), (".5e1", 5.0), ("1.e2", 100.0), ("1", 1), ("1.5", 1.5), ("'1e3'", "1e3")],
)
def test_numbers(text, value):
    found = yaml_text.parse(f"key: {text}")["key"]
    assert found == value
    assert type(found) is type(value)
    assert yaml_text.compose(text).tag.rpartition(":")[2] == type(value).__name__


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


SHIPPED = sorted((Path(__file__).parents[2] / "suites").glob("*.yaml"))


def _lines_and_tags(node):
    yield node.start_mark.line, node.tag
    for child in node.value if isinstance(node.value, list) else ():
        for each in child if isinstance(child, tuple) else (child,):
            yield from _lines_and_tags(each)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_libyaml_and_pyyaml_compose_the_same_tree(path):
    text = path.read_text()
    slow = yaml.compose(text, Loader=yaml_text._Loader)
    fast = yaml.compose(text, Loader=yaml_text._FastLoader)
    assert list(_lines_and_tags(fast)) == list(_lines_and_tags(slow))


def test_values_are_composed_once_but_where_they_are_merged(tmp_path, monkeypatch):
    compose, made = yaml.compose, []
    monkeypatch.setattr(yaml, "compose", lambda text, Loader: made.append(Loader) or compose(text, Loader=Loader))
    path = tmp_path / "s.yaml"
    for text, times in (("a: {b: 1}\n", 1), ("x: &x {b: 1}\na: {<<: *x}\n", 2)):
        made.clear()
        path.write_text(text)
        values, root = yaml_text.read(path)
        assert values["a"] == {"b": 1}
        assert len(made) == times
    assert root.value[1][1].value[0][0].value == "<<"
