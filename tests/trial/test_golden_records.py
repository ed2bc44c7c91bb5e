"""The protocol's number says whether outcomes are the same: it is raised where one of these records changes."""

import json
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from benchkit.identity import fingerprints as fingerprints_module
from benchkit.identity.fingerprints import PROTOCOL, Fingerprints

FOLDER = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def golden():
    return SimpleNamespace(**run_path(str(FOLDER / "record.py")))


def test_outcomes_are_those_of_this_number(golden, tmp_path):
    table = json.loads(golden.TABLE.read_text(encoding="utf-8"))
    problem = golden.check_number(table, golden.run_all(tmp_path), PROTOCOL)
    if problem and table["computed_with"] != golden.versions_here():
        pytest.skip(f"the table was computed with {table['computed_with']}, whose versions enter the ids, too")
    assert problem == ""


def test_no_source_of_benchkit_decides_an_id(golden, tmp_path):
    """A word of a message, a field of claims or a hook that is added there changes no trial."""
    fingerprints = Fingerprints(golden.registry(golden.PLUGINS))
    for suite in golden.SUITES:
        fingerprints.identify_all(golden.trials(suite, tmp_path))
    read = [module[0] for module in fingerprints._modules.values() if module is not None]
    assert FOLDER / "golden_plugin.py" in read
    assert [path for path in read if Path(fingerprints_module.__file__).parents[1] in path.parents] == []
