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


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(depth=st.integers(1, 60), opening=st.sampled_from(["[", "{a: ", "- ", "? ", "- ? ", "a:\n"]))
def test_how_deep_a_text_is(depth, opening):
    lines = [" " * n + opening for n in range(depth)] if opening.endswith("\n") else [opening * depth]
    text = "".join(lines) + " " * depth + "1" + {"[": "]", "{a: ": "}"}.get(opening, "") * depth
    levels, deepest = 0, 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        levels += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        deepest = max(deepest, levels)
    assert depth <= deepest == yaml_text._depth(text)


@pytest.mark.parametrize("text", ["[" * 300_000, "- " * 300_000 + "1", "? " * 300_000, "{a: " * 200_000])
def test_levels_that_would_end_the_process_raise(text):
    """libyaml refuses a thousand levels from PyYAML 6.0.4 on; before, and without it, Python does."""
    with pytest.raises((RecursionError, yaml.MarkedYAMLError), match="maximum (recursion|nesting) depth"):
        yaml_text.parse(text)


LONG = {
    "a list": ("[" + "[a]," * 120_000 + "]", "it has more than 200000 values"),
    "mappings": ("[" + "{a: b}," * 70_000 + "]", "it has more than 200000 values"),
    "a list without its end": ("[" + "a, " * 150_000, "did not find expected node content"),
}


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")
@pytest.mark.parametrize("name", LONG)
def test_half_a_megabyte_is_refused_before_a_tree_is_made(name, monkeypatch):
    """PyYAML takes 5 s for each of these, and libyaml's tree of nodes one."""
    text, message = LONG[name]
    made = []
    monkeypatch.setattr(yaml, "compose", lambda text, Loader: made.append(Loader))
    with pytest.raises(yaml.YAMLError, match=message):
        yaml_text.parse(text)
    assert made == []


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
