"""What is planned of a suite, and what `benchkit.run` would do of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit.journal import Store
from benchkit.plugin.manager import Registry
from benchkit.session.designs import describe_designs
from benchkit.session.request import Request
from benchkit.suite.expand import Block
from benchkit.suite.load import Loaded
from benchkit.suite.trial import Trial
from benchkit.suite.whole_suite import Suite, attack_order, axis_titles
from benchkit.trial.identity import Fingerprints


@dataclass(frozen=True)
class Plan:
    """The trials of a suite that are asked for."""

    request: Request
    loaded: Loaded
    fingerprints: Fingerprints
    plugins: tuple[str, ...]  # files, absolute
    blocks: Sequence[Block]  # what the suite runs, dataset by dataset, whatever part of it is asked for
    store: Store
    trials: Mapping[str, Trial]  # by id, in order
    positions: Mapping[str, int]  # in the suite's whole plan, of which ``only`` and a shard leave a part

    @property
    def suite(self) -> Suite:
        """The suite, as its profile has it."""
        return self.loaded.suite

    @property
    def registry(self) -> Registry:
        """What is installed, and in the plugin files."""
        return self.fingerprints.registry

    @property
    def shares_rows(self) -> bool:
        """Whether rows of other suites count as its own.

        A fresh run measures all anew; and seconds that an exclusive suite measures are those of an idle machine.
        """
        return not self.request.fresh and not self.suite.exclusive

    @cached_property
    def content(self) -> dict[str, Any]:
        """What the trials ask; see `describe_designs`."""
        return describe_designs(self.trials, self.fingerprints)


class PlannedFields(Mapping[str, Mapping[str, Any]]):
    """What listeners are told of trials before they run: the fields of each one's future record, by id.

    They are made when asked for, since all of them would take 2 kB each.

    Parameters
    ----------
    trials : mapping of str to Trial
    """

    def __init__(self, trials: Mapping[str, Trial]) -> None:
        self._trials = trials

    def __getitem__(self, trial_id: str) -> Mapping[str, Any]:
        return self._trials[trial_id].fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._trials)

    def __len__(self) -> int:
        return len(self._trials)


def make_plan(
    request: Request,
    loaded: Loaded,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...],
    blocks: Sequence[Block],
    everything: Sequence[Trial],
    trials: Sequence[Trial],
) -> Plan:
    """The plan of a suite, of whose trials (``everything``) some are asked for; the request's shard is part of them."""
    numbers = [
        block.place(repetition) + offset
        for block in blocks
        for repetition in range(block.planned)
        for offset in range(len(block.combinations))
    ]
    places = {id(trial): place for trial, place in zip(everything, numbers, strict=True)}
    names = dict(zip(map(id, everything), fingerprints.identify_all(everything), strict=True))
    mine = request.part.select(trials, _datasets_whole(blocks) if request.until_decided else None)
    chosen = {names[id(trial)]: trial for trial, its in zip(trials, mine, strict=True) if its}
    positions = {name: places[id(trial)] for name, trial in chosen.items()}
    store = Store(Path(request.out), loaded.suite.name)
    return Plan(request, loaded, fingerprints, plugins, blocks, store, chosen, positions)


def _datasets_whole(blocks: Sequence[Block]) -> dict[str, int]:
    """Cells to the number of the dataset, or group of datasets, that a shard runs whole: what is compared is there."""
    units: dict[tuple[str, str | int], int] = {}
    known: dict[str, int] = {}
    for position, block in enumerate(blocks):
        for trial in block.combinations:
            group = trial.dataset.group
            unit = units.setdefault(("group", group) if group else ("dataset", position), len(units))
            known[trial.cell] = unit
    return known


def suite_facts(suite: Suite, registry: Registry) -> dict[str, Any]:
    """The suite as resolved, and what is declared of its metrics and adversaries."""
    metrics = {name: registry.metrics[name] for name in suite.metrics}
    return {
        "attack_order": attack_order(suite, registry),
        "axis_titles": axis_titles(suite, registry),
        "greater_is_better": {name: metric.greater_is_better for name, metric in metrics.items()},
        "situations": {
            entry.display_name: registry.adversaries[entry.name].situation
            for entry in suite.adversaries
            if registry.adversaries[entry.name].situation
        },
        "shares": {name: metric.share for name, metric in metrics.items() if metric.share},
        "ranges": {name: _finite(metric.range) for name, metric in metrics.items()},
        "suite_as_run": suite.model_dump(mode="json", exclude_defaults=True),
    }


def _finite(range_: tuple[float, float]) -> list[float | None]:
    """Limits of a metric as JSON has them: None where there is none."""
    return [limit if math.isfinite(limit) else None for limit in range_]
