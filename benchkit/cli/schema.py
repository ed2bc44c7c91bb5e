"""``benchkit schema``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def schema() -> None:
    """Print the JSON schema of the suite format, with the names that plugins declare."""
    print(json.dumps(_suite_schema(), indent=1))


def _suite_schema() -> dict[str, Any]:
    """The suite format, with the names of the installed plugins."""
    from benchkit.plugin.manager import registry
    from benchkit.suite.names import SPLITS, STEPS, VALUES
    from benchkit.suite.whole_suite import Suite

    known = registry()
    document = Suite.model_json_schema()
    document["patternProperties"] = {"^x-": {"description": "Whatever YAML anchors stand for elsewhere in the suite."}}
    names: dict[str, Iterable[str]] = {
        "AlgorithmEntry": known.algorithms,
        "AdversaryEntry": known.adversaries,
        "DatasetEntry": known.datasets,
    }
    for model, catalogue in names.items():
        document["$defs"][model]["properties"]["name"]["enum"] = list(catalogue)
    defined, properties = document["$defs"], document["properties"]
    defined["Split"]["properties"]["method"]["examples"] = [*SPLITS, *known.splits]
    properties["preprocess"]["examples"] = [[*STEPS, *known.preprocessing_steps]]
    properties["feature_values"]["examples"] = [*VALUES, *known.feature_values]
    # Dataset parameters are written beside the name.
    document["$defs"]["DatasetEntry"]["additionalProperties"] = True
    document["properties"]["metrics"]["items"]["enum"] = list(known.metrics)
    for key, model in (
        ("datasets", "DatasetEntry"),
        ("algorithms", "AlgorithmEntry"),
        ("adversaries", "AdversaryEntry"),
    ):
        reference = {"$ref": f"#/$defs/{model}"}
        document["properties"][key]["items"] = {"anyOf": [{"enum": list(names[model])}, reference]}
    return document
