"""Names and parameters of algorithms, and how they are tuned."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from math import prod
from typing import Any

from benchkit.plugin.declarations import Algorithm
from benchkit.plugin.fitted_model import FittedAlgorithm
from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.nearest_name import Suggestion
from benchkit.session.mistakes.names.known import look_up
from benchkit.session.mistakes.names.metrics import check_metric
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes, until_it_ends
from benchkit.session.mistakes.names.parameters import check_params, parameters_of
from benchkit.suite.schema import AlgorithmEntry, Tune, UpToBudget
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite

_MOST_CANDIDATES = 100_000


def check_algorithm(suite: Suite, registry: Registry, position: int, entry: AlgorithmEntry) -> Mistakes:
    """An algorithm's name, what it is made with, and each stage of its tuning."""
    at: Location = ["algorithms", position]
    declared: Algorithm = look_up(registry.algorithms, entry.name, [*at, "name"])
    if isinstance(declared, FittedAlgorithm):
        yield from _check_fitted(suite, entry, declared, at)
        return
    known = parameters_of(declared.make, at)
    yield from check_params(entry.params, known, entry.name, [*at, "params"])
    for number, stage in enumerate(entry.tune):
        yield from until_it_ends(_check_stage(suite, registry, entry, stage, known, [*at, "tune", number]))


def _check_fitted(suite: Suite, entry: AlgorithmEntry, declared: FittedAlgorithm, at: Location) -> Mistakes:
    """Rows that the model may have been trained on, columns that it never saw, a file that executes what it says."""
    if not declared.path.lower().endswith(".skops") and not entry.params.get("trust"):
        yield MistakeError(
            at,
            f"{declared.path}: unpickling executes whatever the file says: write 'trust: true' beside it if you made "
            "it or trust who did, or store it with skops",
        )
    for dataset in suite.datasets:
        if entry.datasets is not None and dataset.display_name not in entry.datasets:
            continue
        split, steps = dataset.split or suite.split, dataset.preprocess
        if not split.test_is_given and split.method != "none":
            yield MistakeError(
                at,
                f"{entry.display_name} was fitted elsewhere, perhaps on rows that {dataset.display_name!r} would draw "
                "for its test part: give that part, 'split: {test: FILE}', or test on all, 'split: {method: none}'",
            )
        changing = [step for step in (suite.preprocess if steps is None else steps) if not _is_where_needed(step)]
        if changing:
            word = changing[0] if isinstance(changing[0], str) else next(iter(changing[0]))
            yield MistakeError(
                at,
                f"{entry.display_name} was fitted elsewhere, to columns as the table has them, and {word!r} in "
                f"'preprocess' of {dataset.display_name!r} changes them: leave it out, or let the other methods do it "
                "by pipelines of their own, 'estimator: [...]'",
            )


def _is_where_needed(step: Any) -> bool:
    """Whether a step touches nothing for methods that take gaps, as fitted models may."""
    return isinstance(step, Mapping) and "impute-where-needed" in step


def _check_stage(
    suite: Suite, registry: Registry, entry: AlgorithmEntry, stage: Tune, known: set[str], at: Location
) -> Mistakes:
    if isinstance(stage.grid, Mapping):
        yield from check_params(stage.grid, known, entry.name, [*at, "grid"])
        yield from _check_bounded(suite, stage, at)
        yield from _check_size(stage.grid, at)
    elif stage.space is not None:
        yield from check_params(stage.space, known, entry.name, [*at, "space"])
    elif registry.algorithms[entry.name].grid is None:
        yield MistakeError(at, f"{entry.name} has no default grid: write 'grid: {{PARAMETER: [values]}}'")
    if stage.metric is not None:
        yield from until_it_ends(check_metric(registry, stage.metric, [*at, "metric"]))
    yield from until_it_ends(_check_search(stage, registry, at))
    for dataset in suite.datasets:
        split = dataset.split or suite.split
        applies = entry.datasets is None or dataset.display_name in entry.datasets
        if stage.folds is None and split.validation is None and applies:
            where = f"the split of {dataset.display_name!r}"
            raise MistakeError(at, f"tuning needs a validation part in {where}, or 'folds: 5' here")


def _check_bounded(suite: Suite, stage: Tune, at: Location) -> Mistakes:
    """Values that the budget bounds: every budget has to be an amount, and to leave one of them."""
    for name, values in stage.bounded.items():
        place: Location = [*at, "grid", name]
        budgets = [budget for adversary in suite.adversaries for budget in adversary.budgets]
        least = min(values.up_to_budget)
        if not budgets:
            yield MistakeError(place, "up_to_budget needs 'adversaries' with budgets; write a plain list of values")
        elif any(isinstance(budget, str) for budget in budgets):
            yield MistakeError(place, "up_to_budget needs budgets that are amounts, not shares such as '10%'")
        elif min(float(budget) for budget in budgets) < least:
            yield MistakeError(place, f"a budget is below {least:g}, the least value of up_to_budget: add 0 to these")


def _check_size(grid: Mapping[str, Any], at: Location) -> Mistakes:
    """A grid that nobody could try whole."""
    sizes = [len(values.up_to_budget if isinstance(values, UpToBudget) else values) for values in grid.values()]
    if prod(sizes) > _MOST_CANDIDATES:
        remedy = f"{_MOST_CANDIDATES:,} are the most: give shorter lists, or 'search: random' with a 'space'"
        yield MistakeError([*at, "grid"], f"{prod(sizes):,} combinations are tried; {remedy}")


def _check_search(stage: Tune, registry: Registry, at: Location) -> Mistakes:
    """Options that the tuner does not take; raised where no plugin declares it, or it cannot be made."""
    try:
        tuner = registry.tuners[stage.search]
    except UnknownNameError as error:
        raise MistakeError([*at, "search"], str(error)) from None
    try:
        parameters = tuner.make.parameters()
        unknown = []
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
            unknown = [name for name in stage.options if name not in parameters]
        for name in unknown:
            hint = Suggestion(name, parameters, otherwise=f"it takes {', '.join(parameters) or 'none'}")
            yield MistakeError([*at, "options", name], f"tuner {tuner.name} has no option {name!r}; {hint}")
        if not unknown:
            tuner.make(**stage.options)
    except (ImportError, TypeError, ValueError) as error:
        raise MistakeError([*at, "search"], f"tuner {tuner.name} cannot be made: {one_line(error)}") from None
