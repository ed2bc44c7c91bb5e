"""What a trial asks, by content: a published row stands beside a row of today where both answer the same question.

A *design* is everything that all methods of a suite share: seed, data, split, preprocessing, feature values, adversary,
axis and metrics. A *method* is an algorithm with its parameters and tuning. Labels, titles and file places count in
neither. Both are noted in a run's manifest, so that whoever reads it later need execute nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchkit.suite.names import digest
from benchkit.suite.plan import Trial
from benchkit.trial.identity import Fingerprints

# The sources that decide which rows a repetition trains and tests on, and how they are prepared.
_SAMPLING_MODULES = ("feature_values", "prepared", "preprocessing", "seeds", "splitting")
_SAMPLING = tuple(f"benchkit.trial.{name}" for name in _SAMPLING_MODULES)
_CONTENT_HASH = re.compile(r"[0-9a-f]{64}")
_CONTENT_KEYS = ("declaration", "file ", "values of ", "variable ")

Ingredients = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Place:
    """Where a record stands: the ids of its design and of its method."""

    design: str
    method: str


def describe_designs(trials: Mapping[str, Trial], fingerprints: Fingerprints) -> dict[str, Any]:
    """Designs and methods of a plan, for its manifest.

    Parameters
    ----------
    trials : mapping of str to Trial
        By id; all of them have been identified by ``fingerprints``.
    fingerprints : Fingerprints

    Returns
    -------
    dict
        ``designs`` and ``methods`` by id, and ``places``: the ids of the design and the method of each trial.
    """
    designs: dict[str, Any] = {}
    methods: dict[str, Any] = {}
    known: dict[tuple[int, ...], str] = {}
    places = {}
    for trial_id, trial in trials.items():
        shared = (id(trial.dataset), id(trial.adversary), id(trial.metrics))
        if shared not in known:
            design = _design(trial, fingerprints)
            known[shared] = digest(design)
            designs[known[shared]] = design
        own = (id(trial.algorithm),)
        if own not in known:
            method = _method(trial, fingerprints)
            known[own] = digest(method)
            methods[known[own]] = method
        places[trial_id] = [known[shared], known[own]]
    return {"designs": designs, "methods": methods, "places": places}


def join_designs(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Designs, methods and places of several manifests, for the run that they are merged into."""
    joint: dict[str, Any] = {"designs": {}, "methods": {}, "places": {}}
    for manifest in manifests:
        for key, known in (manifest.get("content") or {}).items():
            joint[key] |= known
    return joint


def places_of(manifest: Mapping[str, Any]) -> dict[str, Place]:
    """The place of each trial of a manifest; none in manifests of versions that did not note them."""
    return {trial: Place(*ids) for trial, ids in manifest.get("content", {}).get("places", {}).items()}


def question_of(design: Mapping[str, Any]) -> str:
    """The id of what a design asks, whatever the code that answers it."""
    return digest(design["asked"])


def _design(trial: Trial, fingerprints: Fingerprints) -> dict[str, Any]:
    dataset, adversary = trial.dataset, trial.adversary
    keys, owner = _keys(trial, fingerprints)
    known = fingerprints.ingredients
    along_budget = trial.axis == "budget"
    asked: dict[str, Any] = {
        "seed": trial.seed,
        "dataset": dataset.identity,
        **dataset.protocol,
        "adversary": None,
        "axis": trial.axis,
    }
    if adversary is not None:
        amount = ["share" if adversary.share is not None else "amount"]
        if not along_budget:
            amount.append(str(adversary.share if adversary.share is not None else adversary.amount))
        asked["adversary"] = {**adversary.identity, "budget": amount}
    protocol = known[f"protocol{owner}"]
    return {
        "asked": asked,
        "code": {
            "data": digest(content_of(known[keys["dataset"]])),
            "sampling": digest({name: protocol.get(name) for name in _SAMPLING}),
            "adversary": digest(content_of(known[keys["adversary"]])) if adversary is not None else "",
        },
        "metrics": {name: digest(content_of(known[f"metric:{name}{owner}"])) for name in trial.metrics},
        "files": {key: value for key, value in known[keys["dataset"]].items() if key.startswith("file ")},
    }


def _keys(trial: Trial, fingerprints: Fingerprints) -> tuple[dict[str, str], str]:
    """Keys of the ingredients of a trial, by their kind; and how those of its environment end."""
    protocol, *others = fingerprints.sources(trial)
    return {key.partition(":")[0]: key for key in others}, protocol.removeprefix("protocol")


def _method(trial: Trial, fingerprints: Fingerprints) -> dict[str, Any]:
    cell = trial.algorithm
    target, _, parameter = trial.axis.partition(".")
    params = {key: value for key, value in cell.params.items() if target != "algorithm" or key != parameter}
    keys, _ = _keys(trial, fingerprints)
    ingredients = fingerprints.ingredients[keys["algorithm"]]
    code = digest(content_of(ingredients))
    origin = fingerprints.registry.algorithms.origin.get(cell.name)
    # Files of two people may declare methods of one name; what is installed goes by its name, whatever its version.
    own = code if origin in fingerprints.registry.files else None
    return {
        "entry": {"name": cell.name, "params": params, "tune": cell.identity["tune"], "file": own},
        "code": code,
        "versions": versions_of(ingredients),
    }


def content_of(ingredients: Mapping[str, str]) -> dict[str, str]:
    """The ingredients that are content, not versions of other people's distributions."""
    return {key: value for key, value in ingredients.items() if _is_content(key, value)}


def versions_of(ingredients: Mapping[str, str]) -> dict[str, str]:
    """The distributions among ingredients, with their versions."""
    return {key: value for key, value in ingredients.items() if not _is_content(key, value)}


def _is_content(key: str, value: str) -> bool:
    return key.startswith(_CONTENT_KEYS) or _CONTENT_HASH.fullmatch(value) is not None
