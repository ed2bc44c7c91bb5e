"""Conducting a run: load, plan, reuse, execute, journal, tell listeners, report. The one way through the house."""

from __future__ import annotations

from benchkit.conduct.planning import Planned, plan
from benchkit.conduct.running import run
from benchkit.conduct.watch import Progress, Silent

__all__ = ["Planned", "Progress", "Silent", "plan", "run"]
