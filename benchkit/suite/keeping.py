"""What a run keeps of each test row."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from benchkit.suite.strict import Strict

KeptRows = Literal["scores", "labels", "losses", "none"]
"""Each includes those behind it: scores and what the adversary changed, predictions, losses, nothing."""


class Keep(Strict):
    """What is kept of each test row, and up to how many MB of a run more than losses are."""

    rows: KeptRows = "scores"
    mb: float = Field(default=200, ge=0, allow_inf_nan=False)
