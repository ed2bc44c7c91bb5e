"""The page of audits: its program runs, and says what the page says."""

import re
from pathlib import Path

import pandas as pd

import benchkit
from benchkit_audit.findings import CHECKS
from benchkit_audit.model import read_model

PAGE = (Path(__file__).parents[3] / "docs" / "audit.md").read_text()


def test_the_program_gives_the_paragraph_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[-1]
    exec(compile(program, "customers.py", "exec"), {})
    X = pd.read_csv("holdout.csv")
    report = benchkit.audit(read_model("model.skops")[0], X.drop(columns="leaves"), X["leaves"], seconds=1e6)
    assert report.paragraph in " ".join(PAGE.split())


def test_every_code_has_its_row():
    for code, check in CHECKS.items():
        assert f"| {code} | `{check.name}` | {check.question} |" in PAGE
