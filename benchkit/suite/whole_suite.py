"""A whole suite as a pydantic model.

It stands apart from its entries, which trials use: what else a suite says, its claims above all, decides no outcome,
and its source is no part of a trial's id.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from benchkit.suite.claims import AnyClaim
from benchkit.suite.keeping import Keep
from benchkit.suite.schema import (
    NAME,
    AdversaryEntry,
    AlgorithmEntry,
    Axis,
    DatasetEntry,
    Split,
    Step,
    ValuesEntry,
    named,
)
from benchkit.suite.strict import Strict

_OF_A_COLLECTION = {"name", "title", "source", "description", "include"}


class Suite(Strict):
    """Datasets x algorithms x adversaries x budgets, and how they are run and judged."""

    name: str = Field(pattern=NAME, max_length=100)
    title: str = ""
    source: str = ""
    description: str = ""
    plugins: list[str] = Field(default_factory=list)
    datasets: list[Annotated[DatasetEntry, BeforeValidator(named)]] = Field(default_factory=list)
    split: Split = Field(default_factory=Split)
    preprocess: list[Step] = Field(default_factory=list)
    feature_values: ValuesEntry = "uniform"
    algorithms: list[Annotated[AlgorithmEntry, BeforeValidator(named)]] = Field(default_factory=list)
    adversaries: list[Annotated[AdversaryEntry, BeforeValidator(named)]] = Field(default_factory=list)
    axis: Axis | None = None
    metrics: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: ["error"])
    seed: int = Field(default=0, ge=0, strict=True)
    exclusive: bool = False
    tuning_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    margin: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    hours: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    keep: Keep = Field(default_factory=Keep)
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    expect: list[AnyClaim] = Field(default_factory=list)
    include: list[str] = Field(default_factory=list)

    @field_validator("metrics")
    @classmethod
    def _each_once(cls, value: list[str]) -> list[str]:
        for position, metric in enumerate(value):
            if metric in value[:position]:
                raise ValueError(f"the metric {metric!r} is listed twice")
        return value

    @model_validator(mode="after")
    def _runs_something(self) -> Suite:
        if self.include:
            idle = self.model_fields_set - _OF_A_COLLECTION
            if idle:
                raise ValueError(f"a suite with 'include' runs other suites and has no {', '.join(sorted(idle))}")
        elif not (self.datasets and self.algorithms):
            empty = [key for key in ("datasets", "algorithms", "include") if key in self.model_fields_set]
            hint = "".join(f"; {key!r} is empty" for key in empty if not getattr(self, key))
            raise ValueError(f"a suite needs 'datasets' and 'algorithms', or 'include'{hint}")
        return self
