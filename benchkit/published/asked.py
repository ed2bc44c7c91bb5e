"""What the trials of a run were asked: the designs and methods that its manifest notes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """Which question a record answers, of which method: the ids of its design and of its method."""

    design: str
    method: str


def under_known_names(content: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Designs and places of a run, with the ids that the same designs are known by elsewhere.

    Parameters
    ----------
    content : mapping
        Of a manifest.
    known : mapping of id to design
    """
    names = {as_text(design): name for name, design in known.items()}
    ids = {name: names.get(as_text(design), name) for name, design in content["designs"].items()}
    return {
        **content,
        "designs": {ids[name]: design for name, design in content["designs"].items()},
        "places": {trial: [ids[design], method] for trial, (design, method) in content["places"].items()},
    }


def as_text(value: Any) -> str:
    """As it reads after a round through JSON, as published values do, in one order of keys."""
    return json.dumps(json.loads(json.dumps(value, default=str)), sort_keys=True)


def asked_of(manifest: Mapping[str, Any]) -> dict[str, Asked]:
    """The place of each trial of a manifest; none in manifests of versions that did not note them."""
    return {trial: Asked(*ids) for trial, ids in manifest.get("content", {}).get("places", {}).items()}
