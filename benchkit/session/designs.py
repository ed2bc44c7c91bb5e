"""What a trial asks, by content: a published row stands beside a row of today where both answer the same question.

A *design* is everything that all methods of a suite share: seed, data, split, preprocessing, feature values, adversary,
axis and metrics. A *method* is an algorithm with its parameters and tuning. Labels, titles and file places count in
neither. Both are noted in a run's manifest, so that whoever reads it later need execute nothing.

Either says apart what is the *question*, under this name, and what the *code* that answered: ``code``, of each metric
``metrics``, of the data ``files``, and ``versions`` of other people's packages. A record is reused where both are
equal (`benchkit.trial.identity`); a published row joins where the question is, and the code of data, adversary and
metrics; `verify` runs what another code answered to the same question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchkit.plugin.estimators import is_fitted_name
from benchkit.suite.names import digest
from benchkit.suite.trial import Trial
from benchkit.trial.identity import Fingerprints, prepared_by

_CONTENT_HASH = re.compile(r"[0-9a-f]{64}")
_CONTENT_KEYS = ("declaration", "file ", "values of ", "variable ")


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
    of_design: dict[tuple[int, ...], Trial] = {}  # the first trial of each
    of_method: dict[int, Trial] = {}
    for trial in trials.values():
        of_design.setdefault(_shared(trial), trial)
        of_method.setdefault(id(trial.algorithm), trial)
    sources = {id(trial): fingerprints.sources(trial) for trial in (*of_design.values(), *of_method.values())}
    # What they say is found first, then it is hashed.
    said_designs = {shared: _design(trial, sources[id(trial)], fingerprints) for shared, trial in of_design.items()}
    said_methods = {own: _method(trial, sources[id(trial)], fingerprints) for own, trial in of_method.items()}
    designs: dict[str, Any] = {}
    methods: dict[str, Any] = {}
    ids: dict[tuple[int, ...] | int, str] = {}
    for shared, design in said_designs.items():
        code = {
            part: digest(content) if isinstance(content, Mapping) else content
            for part, content in design["code"].items()
        }
        metrics = {name: digest(content) for name, content in design["metrics"].items()}
        design = {**design, "code": code, "metrics": metrics}
        ids[shared] = digest(design)
        designs[ids[shared]] = design
    for own, method in said_methods.items():
        hashed = digest(method["code"])
        # Files of two people may declare, or be, methods of one name; what is installed goes by it, in any version.
        said = {**method["question"], "file": hashed if method["question"]["file"] else None}
        method = {**method, "question": said, "code": hashed}
        ids[own] = digest(method)
        methods[ids[own]] = method
    pairs: dict[tuple[str, str], list[str]] = {}  # many trials have the same
    places = {}
    for name, trial in trials.items():
        place = ids[_shared(trial)], ids[id(trial.algorithm)]
        places[name] = pairs.setdefault(place, list(place))
    return {"designs": designs, "methods": methods, "places": places}


def _shared(trial: Trial) -> tuple[int, ...]:
    """The objects of a trial that decide its design."""
    return id(trial.dataset), id(trial.adversary), id(trial.metrics)


def join_designs(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Designs, methods and places of several manifests, for the run that they are merged into."""
    joint: dict[str, Any] = {"designs": {}, "methods": {}, "places": {}}
    for manifest in manifests:
        for key, known in (manifest.get("content") or {}).items():
            joint[key] |= known
    return joint


def _design(trial: Trial, sources: Sequence[str], fingerprints: Fingerprints) -> dict[str, Any]:
    """A design, with contents where it has their hashes, and with the metrics that judge what its data predicts.

    Parameters
    ----------
    trial : Trial
    sources : sequence of str
        Keys of its ingredients.
    fingerprints : Fingerprints
    """
    dataset, adversary = trial.dataset, trial.adversary
    known, registry = fingerprints.ingredients, fingerprints.registry
    task = registry.datasets[dataset.name].task
    fingerprints.metric_code(trial)  # notes the ingredients of metrics, which are none of the trial
    keys = {key.partition(":")[0]: key for key in sources[1:]}
    owner = sources[0].removeprefix("protocol")  # how the keys of an environment end
    question: dict[str, Any] = {
        "seed": trial.seed,
        "dataset": dataset.identity,
        **dataset.protocol,
        "adversary": None,
        "axis": trial.axis,
    }
    if adversary is not None:
        amount = ["share" if adversary.share is not None else "amount"]
        if trial.axis != "budget":
            amount.append(str(adversary.share if adversary.share is not None else adversary.amount))
        question["adversary"] = {**adversary.identity, "budget": amount}
    of_plugins = [f"{kind}:{name}" for kind, name in prepared_by(dataset)]
    preparing = {key: content_of(known[f"{key}{owner}"]) for key in of_plugins}
    return {
        "question": question,
        "code": {
            **({"preparation": preparing} if preparing else {}),
            "data": content_of(known[keys["dataset"]]),
            "protocol": known[sources[0]]["protocol"],
            "adversary": "" if adversary is None else content_of(known[keys["adversary"]]),
        },
        "metrics": {
            name: content_of(known[f"metric:{name}{owner}"])
            for name in trial.metrics
            if task in registry.metrics[name].tasks
        },
        "files": {key: value for key, value in known[keys["dataset"]].items() if key.startswith("file ")},
    }


def _method(trial: Trial, sources: Sequence[str], fingerprints: Fingerprints) -> dict[str, Any]:
    """A method, with the content of its code where it has the hash, and whether a file declares it, or is it."""
    cell = trial.algorithm
    target, _, parameter = trial.axis.partition(".")
    params = {key: value for key, value in cell.params.items() if target != "algorithm" or key != parameter}
    ingredients: dict[str, str] = {}
    for key in (key for key in sources if key.startswith("algorithm:")):  # its own first, then those within it
        for name, content in fingerprints.ingredients[key].items():
            again = ingredients.get(name, content) != content
            ingredients[f"{name} of {key}" if again else name] = content
    of_file = fingerprints.registry.algorithms.origin.get(cell.name) in fingerprints.registry.files
    of_file = of_file or is_fitted_name(cell.name)
    return {
        "question": {"name": cell.identity["name"], "params": params, "tune": cell.identity["tune"], "file": of_file},
        "code": content_of(ingredients),
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
