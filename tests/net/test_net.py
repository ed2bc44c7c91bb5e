"""What must not change while code moves; `freeze.py` beside this says what, and writes it anew where that is meant."""

import json
import math
from pathlib import Path

import pytest

from tests.conftest import load_script

freeze = load_script(Path(__file__).with_name("freeze.py"))


def differences(expected, found, place=""):
    """Where two answers differ, a line each; numbers may differ as far as another processor's rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted({*expected, *found}):
            yield from differences(expected.get(key), found.get(key), f"{place}/{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, pair in enumerate(zip(expected, found, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif isinstance(expected, float) and isinstance(found, float | int):
        if not math.isclose(expected, found, rel_tol=1e-7, abs_tol=1e-9):
            yield f"{place}: {expected} -> {found}"
    elif expected != found:
        yield f"{place}: {str(expected)[:200]} -> {str(found)[:200]}"


@pytest.mark.parametrize("part", freeze.PARTS)
def test_nothing_has_changed(part, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    expected = json.loads((freeze.EXPECTED / f"{part}.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(freeze.PARTS[part]()))
    changed = list(differences(expected, found))
    assert not changed, "\n".join([*changed[:40], f"{len(changed)} differ; meant? python tests/net/freeze.py {part}"])
