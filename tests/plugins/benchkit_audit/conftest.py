"""The command line in this process; no test waits for a clock, and none is cut short by one."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit_audit import audit, measure


@pytest.fixture(autouse=True)
def _without_a_limit_of_time(monkeypatch):
    monkeypatch.setattr(audit, "SECONDS", 1e6)
    monkeypatch.setattr(audit, "TRAINING_SECONDS", 1e6)


@pytest.fixture
def audit_parts(monkeypatch):
    """`benchkit.audit` of some parts alone, which come first: the others take most of the time."""

    def audited(parts, *arguments, **options):
        monkeypatch.setattr(audit, "measure", partial(measure.measure, only=parts.split()))
        return benchkit.audit(*arguments, **options)

    return audited


def table(seed=0, n=800, columns=5):
    """Independent normal columns."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(random.normal(size=(n, columns)), columns=list("abcdefghij")[:columns])


def finding(report, code):
    return next(each for each in report.findings if each.code == code)
