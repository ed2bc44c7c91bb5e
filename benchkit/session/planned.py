"""What a run of one suite would do: its trials by their ids, and which of them need not be run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit.journal import JournalError, Record, Store, owners, read_manifest, rows_of_other_suites
from benchkit.journal.store import best
from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.manager import Registry
from benchkit.session.designs import describe_designs
from benchkit.session.forecast import Forecast, forecast
from benchkit.session.shard import Shard
from benchkit.suite.expand import Block
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import Trial
from benchkit.trial.identity import Fingerprints

_Named = tuple[str, str, Trial, int]
"""Cell, identity and place of a trial."""


@dataclass(frozen=True)
class Planned:
    """What a run would do.

    Attributes
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        What decides the trials' outcomes, by content.
    trials : mapping of str to Trial
        By id, in order.
    positions : mapping of str to int
        Place of each trial in the suite's whole plan, of which ``only`` and a shard leave a part.
    done : mapping of str to dict
        Latest record of every trial in the journal.
    reused : mapping of str to dict
        Records that need not be repeated.
    store : Store
    plugins : tuple of str
        Plugin files, absolute.
    shard : Shard
    whole : int
        Number of trials of the suite's whole plan.
    fresh : bool
        Whether earlier runs' records were to be left aside.
    warnings : tuple of str
        What a look at the data warns of: trials that will be skipped.
    blocks : sequence of Block
        What the suite runs, dataset by dataset, whatever part of it is asked for.
    keep_models : bool
        Whether records without a stored model are run again.
    until_decided : bool
        Whether repetitions go on until the suite's questions are decided.
    published : mapping of str to Trial
        Trials that need not be run, since a published row answers each of them.
    """

    loaded: Loaded
    registry: Registry
    fingerprints: Fingerprints
    trials: Mapping[str, Trial]
    positions: Mapping[str, int]
    done: Mapping[str, dict[str, Any]]
    reused: Mapping[str, dict[str, Any]]
    store: Store
    plugins: tuple[str, ...]
    shard: Shard
    whole: int
    fresh: bool = False
    warnings: tuple[str, ...] = ()
    blocks: Sequence[Block] = ()
    keep_models: bool = False
    until_decided: bool = False
    published: Mapping[str, Trial] = field(default_factory=dict)
    _named: dict[int, list[_Named]] = field(default_factory=dict, repr=False)

    @cached_property
    def repetitions(self) -> Mapping[str, int]:
        """How many repetitions each cell has."""
        return Counter(trial.cell for trial in self.trials.values())

    def with_repetitions(self, asked: Mapping[str, int]) -> Planned:
        """The plan in which cells have at least so many repetitions, the first ones; the others stay as they are.

        A repetition that is asked for later is the trial that it would be if it had been planned.
        """
        wanted = {cell: asked.get(cell, 0) for cell in self.repetitions}
        trials, positions = dict(self.trials), dict(self.positions)
        for repetition in range(max(wanted.values(), default=0)):
            for cell, name, trial, position in self._names(repetition):
                if repetition < wanted.get(cell, 0) and name not in trials and name not in self.published:
                    trials[name], positions[name] = trial, position
        ordered = sorted(trials, key=positions.__getitem__)
        reused = _reusable(self.done, ordered, self.store, self.keep_models)
        return replace(
            self,
            trials={name: trials[name] for name in ordered},
            positions={name: positions[name] for name in ordered},
            reused=reused,
        )

    def with_rows_of_other_suites(self) -> Planned:
        """The plan that also reuses what other suites of the output folder hold of its trials by now.

        A fresh run measures all anew; and seconds that an exclusive suite measures are those of an idle machine.
        """
        if self.fresh or self.loaded.suite.exclusive:
            return self
        found = rows_of_other_suites(self.store, {name for name, _ in self.left})
        usable = _reusable(found, found, self.store, self.keep_models)
        return replace(self, done={**self.done, **found}, reused={**self.reused, **usable}) if found else self

    def without_answered(self, against: RowsBeside) -> Planned:
        """The plan without the trials that rows from elsewhere answer; what the journal has is used before that."""
        left = dict(self.left)
        told = against.answered(describe_designs(left, self.fingerprints), PlannedFields(left))
        return replace(
            self,
            trials={trial_id: trial for trial_id, trial in self.trials.items() if trial_id not in told},
            published={trial_id: left[trial_id] for trial_id in left if trial_id in told},
        )

    def after(self, earlier: Collection[str]) -> Planned:
        """The plan once these trials of suites before it have run in the output folder: what it shares is done then."""
        if self.fresh or self.loaded.suite.exclusive:
            return self
        return self.without({name for name, _ in self.left if name in earlier})

    def without(self, names: set[str]) -> Planned:
        """The plan without some of its trials."""
        trials = {name: trial for name, trial in self.trials.items() if name not in names}
        return replace(self, trials=trials, reused={name: row for name, row in self.reused.items() if name in trials})

    def _names(self, repetition: int) -> list[_Named]:
        """Every trial of a repetition in the whole plan. Identities are given there, so that a part has the same."""
        if repetition not in self._named:
            here = [
                (first.cell, trial, block.place(repetition) + offset)
                for block in self.blocks
                if repetition < block.most
                for offset, (first, trial) in enumerate(zip(block.combinations, block.at(repetition), strict=True))
            ]
            names = self.fingerprints.identify_all(trial for _, trial, _ in here)
            self._named[repetition] = [
                (cell, name, trial, position) for (cell, trial, position), name in zip(here, names, strict=True)
            ]
        return self._named[repetition]

    @cached_property
    def content(self) -> dict[str, Any]:
        """What the trials ask, those that published rows answer included; see `describe_designs`."""
        return describe_designs({**self.trials, **self.published}, self.fingerprints)

    @cached_property
    def left(self) -> list[tuple[str, Trial]]:
        """Trials to be run."""
        return [(trial_id, trial) for trial_id, trial in self.trials.items() if trial_id not in self.reused]

    def reused_rows(self) -> dict[str, dict[str, Any]]:
        """Reused records by trial, under the names that this run has for them; what they measured stays."""
        return {name: {**row, **_fields_of_this_run(self.trials[name], row)} for name, row in self.reused.items()}

    def expected(self) -> Forecast:
        """How long the trials left may take."""
        hours = self.loaded.suite.hours
        declared = None if hours is None else 3600 * hours / self.whole
        left = [{"dataset": trial.dataset.label, "algorithm": trial.algorithm.label} for _, trial in self.left]
        return forecast(left, self.done.values(), self.loaded.profile, declared)


NAMING = (
    "cell",
    "suite",
    "profile",
    "dataset",
    "dataset_params",
    "group",
    "algorithm",
    "adversary",
    "axis",
    "axis_value",
)
"""What a record calls its trial: none of it decides the outcome."""


def _fields_of_this_run(trial: Trial, row: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a reused record that name it in this run."""
    known = trial.fields
    return {name: known[name] for name in NAMING} | {"params": row.get("params") or known["params"]}


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


@dataclass(frozen=True)
class Request:
    """What is asked of the plan of every suite.

    Attributes
    ----------
    out : Path
        Output folder.
    shard : Shard
        Which part of the trials is run here.
    keep_models, fresh, until_decided : bool
        As for `benchkit.session.run.run`.
    against : RowsBeside or None
        Rows from elsewhere, which may answer trials.
    """

    out: Path
    shard: Shard
    keep_models: bool
    fresh: bool
    until_decided: bool
    against: RowsBeside | None


def in_turn(plans: Sequence[Planned]) -> list[Planned]:
    """The plans of a collection as they stand when their turn comes: a trial that suites share runs in the first."""
    known: set[str] = set()
    standing = []
    for planned in plans:
        standing.append(planned.after(known))
        known.update(name for name, _ in planned.left)
    return standing


def make_planned(
    loaded: Loaded,
    fingerprints: Fingerprints,
    files: tuple[str, ...],
    made: Sequence[Block],
    everything: Sequence[Trial],
    trials: Sequence[Trial],
    request: Request,
) -> Planned:
    """See which of a suite's trials are done already.

    Parameters
    ----------
    loaded : Loaded
    fingerprints : Fingerprints
    files : tuple of str
        Plugin files, absolute.
    made : sequence of Block
        What the suite runs, and ``everything``, all the trials of that.
    trials : sequence of Trial
        Those that are asked for; the request's shard is a part of them.
    request : Request
    """
    together = _datasets_whole(made) if request.until_decided else None
    numbers = [
        block.place(repetition) + offset
        for block in made
        for repetition in range(block.planned)
        for offset in range(len(block.combinations))
    ]
    places = {id(trial): place for trial, place in zip(everything, numbers, strict=True)}
    names = dict(zip(map(id, everything), fingerprints.identify_all(everything), strict=True))
    identities = [names[id(trial)] for trial in trials]
    positions = {name: places[id(trial)] for name, trial in zip(identities, trials, strict=True)}
    mine = request.shard.select(trials, together)
    identified = {name: trial for name, trial, its in zip(identities, trials, mine, strict=True) if its}
    store = Store(request.out, loaded.suite.name)
    done = continued_rows(store) if request.fresh else store.read()
    planned = Planned(
        loaded,
        fingerprints.registry,
        fingerprints,
        identified,
        positions,
        done,
        _reusable(done, identified, store, request.keep_models),
        store,
        files,
        request.shard,
        len(everything),
        request.fresh,
        warnings=() if identified else (_said_of_empty(loaded, request),),
        blocks=made,
        keep_models=request.keep_models,
        until_decided=request.until_decided,
    ).with_rows_of_other_suites()
    return planned if request.against is None else planned.without_answered(request.against)


def _said_of_empty(loaded: Loaded, request: Request) -> str:
    whole = " (with --until-decided a dataset, or a group of them, stays in one part)" if request.until_decided else ""
    return f"{loaded.suite.name}: --shard {request.shard} has no trials, for there are fewer parts to share{whole}"


def _datasets_whole(made: Sequence[Block]) -> dict[str, int]:
    """Cells to the number of the dataset, or group of datasets, that a shard runs whole: what is compared is there."""
    units: dict[tuple[str, str | int], int] = {}
    known: dict[str, int] = {}
    for position, block in enumerate(made):
        for trial in block.combinations:
            group = trial.dataset.group
            unit = units.setdefault(("group", group) if group else ("dataset", position), len(units))
            known[trial.cell] = unit
    return known


def _reusable(
    done: Mapping[str, Record], names: Iterable[str], store: Store, keep_models: bool
) -> dict[str, dict[str, Any]]:
    """Records of trials that need not be repeated."""
    reused = {name: done[name] for name in names if name in done and done[name]["status"] == "ok"}
    return {name: row for name, row in reused.items() if store.keeps_model(name)} if keep_models else reused


def continued_rows(store: Store) -> dict[str, Record]:
    """The records that a fresh run need not repeat: those of a fresh run that did not come to its end.

    So the same command continues it; once a fresh run is complete, the next one starts anew.
    """
    runs = store.runs()
    try:
        newest = read_manifest(runs[-1]) if runs else {}
    except JournalError:  # a damaged manifest says of no row that it was fresh
        newest = {}
    if not newest.get("fresh") or newest.get("complete"):
        return {}
    origins = set(owners(newest, runs[-1].name).values())
    return best((row["trial"], row) for row in store.rows() if row["run"] in origins)
