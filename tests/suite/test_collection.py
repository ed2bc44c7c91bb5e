"""What a collection includes."""

import pytest

from benchkit.suite.load import load_collection
from benchkit.suite.source import SuiteError

ONE = "name: {}\ndatasets: [breast]\nalgorithms: [constant]\n"


def names(path):
    return [loaded.suite.name for loaded in load_collection(path).suites]


def test_names_paths_and_collections_in_order(write_suite):
    write_suite(ONE.format("one"), "one.yaml")
    write_suite(ONE.format("two"), "two.yaml")
    inner = write_suite("name: inner\ninclude: [two.yaml, one.yaml]\n", "inner.yaml")
    outer = write_suite("name: outer\ninclude: [quickstart, inner.yaml, one.yaml]\n", "outer.yaml")
    assert names(inner) == ["two", "one"]
    assert names(outer) == ["quickstart", "two", "one"]
    assert not load_collection(outer).is_one
    assert load_collection("quickstart").is_one
    assert names("quickstart") == ["quickstart"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name: outer\ninclude: [quickstart, quikstart]\n",
            "outer.yaml:2: include.1: unknown suite 'quikstart'; did you",
        ),
        ("name: outer\ninclude:\n- absent.yaml\n", "outer.yaml:3: include.0: .*absent.yaml: no such suite file"),
        ("name: outer\ninclude: [outer.yaml]\n", "include.0: outer.yaml includes itself"),
        ("name: outer\ninclude: [one.yaml, sub/one.yaml]\n", "are both named 'one'"),
        ("name: outer\ninclude: [one.yaml]\nalgorithms: [lp]\n", "runs other suites and has no algorithms"),
    ],
)
def test_mistakes(write_suite, tmp_path, text, message):
    (tmp_path / "sub").mkdir()
    write_suite(ONE.format("one"), "one.yaml")
    write_suite(ONE.format("one"), "sub/one.yaml")
    path = write_suite(text, "outer.yaml")
    with pytest.raises(SuiteError, match=message):
        names(path)


def test_a_suite_that_is_included_twice_runs_once(write_suite):
    write_suite(ONE.format("one"), "one.yaml")
    write_suite("name: inner\ninclude: [one.yaml]\n", "inner.yaml")
    assert names(write_suite("name: outer\ninclude: [one.yaml, inner.yaml, one.yaml]\n", "outer.yaml")) == ["one"]
