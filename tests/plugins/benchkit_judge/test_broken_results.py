"""Result files of other tools that are cut off or laid out otherwise are read or refused in one line."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit import TableError
from benchkit_judge.formats.known import FORMATS, read_results

FILES = Path(__file__).parent / "files"
OF_JSON = {
    "lm-eval": "lm_eval/large__model/results_2024-11-05T13-31-45.581641.json",
    "inspect_ai": "inspect_ai/2024-11-05T13-31-45_large.json",
    "pytest-benchmark": "pytest_benchmark/0030_uncommitted-changes.json",
    "asv": "asv/rgx1gen11/a0f29428-virtualenv-py3.12.json",
}
OF_ROWS = {"amlb": "amlb.csv", "tabarena": "tabarena.csv", "benchopt": "benchopt.csv"}


def read_or_refused(name, path):
    said = ""
    try:
        read_results(FORMATS[name], [path])
    except TableError as error:
        said = str(error)
    assert "\n" not in said
    return said


@pytest.mark.parametrize("name", OF_JSON)
def test_a_file_that_is_cut_off(name, tmp_path):
    text = (FILES / OF_JSON[name]).read_text(encoding="utf-8")
    path = tmp_path / Path(OF_JSON[name]).name
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    assert "cannot be read as JSON" in read_or_refused(name, path)


@pytest.mark.parametrize("name", OF_ROWS)
def test_rows_that_are_cut_off(name, tmp_path):
    lines = (FILES / OF_ROWS[name]).read_text(encoding="utf-8").splitlines()
    path = tmp_path / OF_ROWS[name]
    path.write_text("\n".join([*lines[:4], lines[4][: len(lines[4]) // 3]]), encoding="utf-8")
    read_or_refused(name, path)


def places(value, found):
    """Every place of a document: a container, and the key or the number in it."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((value, key))
        if isinstance(each, dict | list):
            places(each, found)
    return found


@settings(max_examples=40)
@given(st.sampled_from(list(OF_JSON)), st.data())
def test_a_file_laid_out_otherwise(tmp_path_factory, name, data):
    document = json.loads((FILES / OF_JSON[name]).read_text(encoding="utf-8"))
    inside, key = data.draw(st.sampled_from(places(document, [])).map(lambda place: place))
    other = data.draw(st.sampled_from([None, 0, "x", [], {}, [1], {"a": None}, "taken out"]))
    if other == "taken out":
        inside.pop(key)
    else:
        inside[key] = other
    path = tmp_path_factory.mktemp("laid") / Path(OF_JSON[name]).name
    path.write_text(json.dumps(document), encoding="utf-8")
    read_or_refused(name, path)
