"""A whole suite as a pydantic model, and what a manifest says of its adversaries.

It stands apart from its entries, which trials use: what else a suite says, its claims above all, decides no outcome.
"""

from collections.abc import Mapping
from itertools import permutations
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.estimators import signature_of
from benchkit.plugin.manager import Registry
from benchkit.suite import schema
from benchkit.suite.claims import Claim

_OF_A_COLLECTION = {"name", "title", "source", "description", "include"}


class Suite(schema.Strict):
    """Datasets x algorithms x adversaries x budgets, and how they are run and judged."""

    name: str = Field(pattern=schema.NAME, max_length=100)
    title: str = ""
    source: str = ""
    description: str = ""
    plugins: list[str] = Field(default_factory=list)
    datasets: list[schema.DatasetEntry] = Field(default_factory=list)
    split: schema.Split = Field(default_factory=schema.Split)
    preprocess: list[schema.Step] = Field(default_factory=list)
    feature_values: schema.ValuesEntry = "uniform"
    algorithms: list[schema.AlgorithmEntry] = Field(default_factory=list)
    adversaries: list[schema.AdversaryEntry] = Field(default_factory=list)
    axis: schema.Axis | None = None
    metrics: Annotated[list[str], Field(min_length=1), schema.Once] = Field(default_factory=lambda: ["error"])
    seed: int = Field(default=0, ge=0, strict=True)
    exclusive: bool = False
    tuning_seconds: schema.Number | None = Field(default=None, gt=0)
    margin: schema.Number | None = Field(default=None, ge=0)
    hours: schema.Number | None = Field(default=None, gt=0)
    keep: schema.Keep = Field(default_factory=schema.Keep)
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    expect: list[Claim] = Field(default_factory=list)
    include: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _runs_something(self) -> Self:
        idle = self.model_fields_set - _OF_A_COLLECTION
        if self.include and idle:
            raise ValueError(f"a suite with 'include' runs other suites and has no {', '.join(sorted(idle))}")
        if not (self.include or (self.datasets and self.algorithms)):
            raise ValueError("a suite needs 'datasets' and 'algorithms', or 'include', each with an entry")
        return self


_LONGEST_VALUE = 20  # of a parameter, in a sentence


def _situations(suite: Suite, situations: Mapping[str, str]) -> dict[str, str]:
    """``If features go at random``; of several adversaries of one situation with the parameters that are not alike."""
    words = {}
    for entry in [entry for entry in suite.adversaries if entry.display_name in situations]:
        own = situations[entry.display_name]
        alike = [other.params for other in suite.adversaries if situations.get(other.display_name) == own]
        differing = [item for item in entry.params.items() if any(item not in params.items() for params in alike)]
        shown = ", ".join(f"{name}: {value}" for name, value in differing if len(str(value)) < _LONGEST_VALUE)
        words[entry.display_name] = f"{own} with {shown}" if shown else own
    return words


def describe_adversaries(suite: Suite, registry: Registry) -> dict[str, Any]:
    """What a manifest says of a suite's adversaries, by label: titles of their axes, situations, who is stronger.

    The ``axis_titles`` are of budgets: ``features deleted``, ``share of features deleted``. A budget that counts
    feature values counts features where every value is 1; elsewhere it is what they cost together: ``features deleted
    (total cost)``.

    The ``attack_order`` has pairs of labels, and the metrics, by whether greater is better, that the stronger of a pair
    cannot improve. Of a pair that is ``uniform_only`` one budget counts values and the other features: they compare
    where every feature has the value 1.
    """
    kinds = [suite.feature_values if entry.feature_values is None else entry.feature_values for entry in suite.datasets]
    uniform = all(kind == "uniform" for kind in kinds)
    declared = {entry.display_name: registry.adversaries[entry.name] for entry in suite.adversaries}
    titles = {}
    for entry in suite.adversaries:
        adversary, shares = declared[entry.display_name], isinstance(entry.budgets[0], str)
        titles[entry.display_name] = UNITS[adversary.budget_unit].axis_title(adversary.budget_title, shares, uniform)
    pairs = []
    for one, other in permutations(suite.adversaries, 2):
        strong, weak = declared[one.display_name], declared[other.display_name]
        if other.name not in strong.stronger_than:
            continue
        takes, other_takes = (signature_of(each.make)["parameters"] for each in (strong, weak))
        # They agree in what both can be given, such as what stands in place of what they delete.
        if all(
            [one.params[name]]
            if name in one.params
            else takes[name] == ([other.params[name]] if name in other.params else other_takes[name])
            for name in takes.keys() & other_takes.keys()
        ):
            uniform_only = strong.budget_unit != weak.budget_unit
            pairs.append({"stronger": one.display_name, "weaker": other.display_name, "uniform_only": uniform_only})
    measured = {name: registry.metrics[name] for name in suite.metrics}
    metrics = {name: metric.greater_is_better for name, metric in measured.items() if metric.worsens_with_attack}
    return {
        "attack_order": {"metrics": metrics, "pairs": pairs},
        "axis_titles": titles,
        "situations": _situations(suite, {label: each.situation for label, each in declared.items() if each.situation}),
    }
