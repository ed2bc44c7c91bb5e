"""The page of audits: its program runs, and says what the page says."""

import re
from functools import partial
from pathlib import Path

import pandas as pd

import benchkit
from benchkit_audit import audit
from benchkit_audit.findings import CHECKS
from benchkit_audit.measure import measure
from benchkit_audit.model import read_model

PAGE = (Path(__file__).parents[3] / "docs" / "audit.md").read_text()


def test_the_program_gives_the_paragraph_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[-1]
    exec(compile(program, "customers.py", "exec"), {})
    X = pd.read_csv("holdout.csv")
    report = benchkit.audit(read_model("model.skops")[0], X.drop(columns="leaves"), X["leaves"], seconds=1e6)
    assert report.paragraph in " ".join(PAGE.split())

    # What it says of outages, for which no more is asked than that.
    monkeypatch.setattr(audit, "measure", partial(measure, only=("columns", "outages")))
    rates = {"score": 0.02, "months": 0.005, "region": 0.1}
    told = benchkit.audit(read_model("model.skops")[0], X.drop(columns="leaves"), X["leaves"], outages=rates)
    sentence = re.search(r"At the given rates [^:;]*?\)", told.paragraph).group()
    assert sentence in " ".join(PAGE.split())
    shown = str(told).split("Outages: what they cost")[1].split("└")[0]
    assert all(line.rstrip() in PAGE for line in shown.splitlines())


def test_every_code_has_its_row():
    for code, check in CHECKS.items():
        assert f"| {code} | `{check.name}` | {check.question} |" in PAGE
