"""No test waits for a clock, and none is cut short by one."""

from dataclasses import replace

import pytest

from benchkit.auditing import audit, measure


@pytest.fixture(autouse=True)
def _without_a_limit_of_time(monkeypatch):
    monkeypatch.setattr(audit, "FAST", replace(measure.FAST, seconds=None))
