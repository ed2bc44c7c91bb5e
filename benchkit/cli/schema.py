"""``benchkit schema``."""

from __future__ import annotations

import json


def schema() -> None:
    """Print the JSON schema of the suite format, with the names that plugins declare."""
    from benchkit.plugin.manager import registry
    from benchkit.suite.names import SPLITS, STEPS, VALUES
    from benchkit.suite.whole_suite import Suite

    known = registry()
    document = Suite.model_json_schema()
    document["patternProperties"] = {"^x-": {"description": "Whatever YAML anchors stand for elsewhere in the suite."}}
    defined, properties = document["$defs"], document["properties"]
    for key, model, catalogue in (
        ("datasets", "DatasetEntry", known.datasets),
        ("algorithms", "AlgorithmEntry", known.algorithms),
        ("adversaries", "AdversaryEntry", known.adversaries),
    ):
        defined[model]["properties"]["name"]["enum"] = list(catalogue)
        properties[key]["items"] = {"anyOf": [{"enum": list(catalogue)}, {"$ref": f"#/$defs/{model}"}]}
    defined["DatasetEntry"]["additionalProperties"] = True  # parameters are written beside the name
    defined["Split"]["properties"]["method"]["examples"] = [*SPLITS, *known.splits]
    properties["preprocess"]["examples"] = [[*STEPS, *known.preprocessing_steps]]
    properties["feature_values"]["examples"] = [*VALUES, *known.feature_values]
    properties["metrics"]["items"]["enum"] = list(known.metrics)
    print(json.dumps(document, indent=1))
