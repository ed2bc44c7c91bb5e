"""Every form of claims is declared in one file and judged in another of its name, and nothing else knows it."""

import re
from pathlib import Path

import benchkit
from benchkit.report.claims.checks import JUDGED_BY
from benchkit.suite.claims.forms import FORMS

ROOT = Path(benchkit.__file__).parent


def test_every_form_is_declared_and_judged_in_files_of_its_name():
    assert list(JUDGED_BY) == [form.form for form in FORMS]
    for form in FORMS:
        assert form.__module__ == f"benchkit.suite.claims.{form.form}"
        assert JUDGED_BY[form.form].__module__ == f"benchkit.report.claims.{form.form}"


def test_no_other_file_names_a_form():
    tables = {ROOT / "suite" / "claims" / "forms.py", ROOT / "report" / "claims" / "checks.py"}
    halves = {ROOT / room / "claims" / f"{form.form}.py" for room in ("suite", "report") for form in FORMS}
    names = re.compile(rf"\b({'|'.join(form.__name__ for form in FORMS)})\b|claims\.({'|'.join(JUDGED_BY)})\b")
    naming = [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if path not in tables | halves
        and any("claims" in line and names.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    ]
    assert naming == []
