"""What a trial asks, by content: a published row stands beside a row of today where both answer the same question.

A *design* is everything that all methods of a suite share: seed, data, split, preprocessing, feature values, adversary,
axis and metrics. A *method* is an algorithm with its parameters and tuning. Labels, titles and file places count in
neither. Both are noted in a run's manifest, so that whoever reads it later need execute nothing.

Either says apart what is the *question*, under this name, and what the *code* that answered: ``code``, of each metric
``metrics``, of the data ``files``, and ``versions`` of other people's packages. A record is reused where both are
equal (`benchkit.identity.fingerprints`); a published row joins where the question is, and the code of data, adversary
and metrics; `verify` runs what another code answered to the same question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchkit.identity.fingerprints import Fingerprints, prepared_by
from benchkit.plugin.estimators import is_fitted_name
from benchkit.suite.names import digest
from benchkit.suite.trial import Trial

_CONTENT_HASH = re.compile(r"[0-9a-f]{64}")


def describe_designs(trials: Mapping[str, Trial], fingerprints: Fingerprints) -> dict[str, Any]:
    """The ``designs`` and ``methods`` of trials, by id, and ``places``: the two ids of each trial.

    The trials are given by id, and have been identified by ``fingerprints``.
    """
    described: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    places: dict[str, list[str]] = {}
    ids: dict[Any, str] = {}  # by the objects of a trial that decide its design, and by that which decides its method
    for name, trial in trials.items():
        keys: list[Any] = [(id(trial.dataset), id(trial.adversary), id(trial.metrics)), id(trial.algorithm)]
        for key, describe, contents in zip(keys, (_design, _method), described, strict=True):
            if key not in ids:
                content = describe(trial, fingerprints)
                ids[key] = digest(content)
                contents[ids[key]] = content
        places[name] = [ids[key] for key in keys]
    return {"designs": described[0], "methods": described[1], "places": places}


def _design(trial: Trial, fingerprints: Fingerprints) -> dict[str, Any]:
    """A design, with the metrics that judge what its data predicts."""
    dataset, adversary, registry = trial.dataset, trial.adversary, fingerprints.registry
    protocol, data, *_ = fingerprints.sources(trial)
    ingredients, place = fingerprints.ingredients, protocol.removeprefix("protocol")  # how an environment's keys end
    fingerprints.metric_code(trial)  # notes the ingredients of metrics, which are none of the trial
    attacked = None
    if adversary is not None:
        amount = ["share" if adversary.share is not None else "amount"]
        if trial.axis != "budget":
            amount.append(str(adversary.budget))
        attacked = {**adversary.identity, "budget": amount}
    facts = {"seed": trial.seed, "dataset": dataset.identity, **dataset.protocol}
    preparing = [f"{kind}:{name}" for kind, name in prepared_by(dataset)]
    preparation = {key: _content_of(ingredients[f"{key}{place}"]) for key in preparing}
    attack = None if adversary is None else ingredients[f"adversary:{adversary.name}{place}"]
    judging = [name for name in trial.metrics if registry.datasets[dataset.name].task in registry.metrics[name].tasks]
    return {
        "question": {**facts, "adversary": attacked, "axis": trial.axis},
        "code": {
            **({"preparation": digest(preparation)} if preparation else {}),
            "data": digest(_content_of(ingredients[data])),
            "protocol": ingredients[protocol]["protocol"],
            "adversary": "" if attack is None else digest(_content_of(attack)),
        },
        "metrics": {name: digest(_content_of(ingredients[f"metric:{name}{place}"])) for name in judging},
        "files": {key: value for key, value in ingredients[data].items() if key.startswith("file ")},
    }


def _method(trial: Trial, fingerprints: Fingerprints) -> dict[str, Any]:
    """A method, and whether a file declares it, or is it."""
    algorithm = trial.algorithm
    target, _, parameter = trial.axis.partition(".")
    params = {key: value for key, value in algorithm.params.items() if target != "algorithm" or key != parameter}
    ingredients: dict[str, str] = {}
    # Its own first, then those within it.
    for key in (key for key in fingerprints.sources(trial) if key.startswith("algorithm:")):
        for name, content in fingerprints.ingredients[key].items():
            again = ingredients.get(name, content) != content
            ingredients[f"{name} of {key}" if again else name] = content
    own = _content_of(ingredients)
    code = digest(own)
    # Files of two people may declare, or be, methods of one name; what is installed goes by it, in any version.
    of_file = fingerprints.registry.algorithms[algorithm.name].declared_by in fingerprints.registry.files
    file = code if of_file or is_fitted_name(algorithm.name) else None
    identity = algorithm.identity
    return {
        "question": {"name": identity["name"], "params": params, "tune": identity["tune"], "file": file},
        "code": code,
        "versions": {key: value for key, value in ingredients.items() if key not in own},
    }


def _content_of(ingredients: Mapping[str, str]) -> dict[str, str]:
    """The ingredients that are content, not versions of other people's distributions."""
    return {
        key: value
        for key, value in ingredients.items()
        if key.startswith(("declaration", "file ", "values of ", "variable ")) or _CONTENT_HASH.fullmatch(value)
    }
