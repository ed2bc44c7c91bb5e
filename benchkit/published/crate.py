"""RO-Crate metadata: what an archive needs to understand published results (RO-Crate 1.1, JSON-LD)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchkit.published.rows import COLUMNS

CRATE = "ro-crate-metadata.json"
_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_CONFORMS = "https://w3id.org/ro/crate/1.1"
_SPDX = "https://spdx.org/licenses/"


def crate_text(index: Mapping[str, Any]) -> str:
    """The metadata of a folder, as ``ro-crate-metadata.json``.

    Parameters
    ----------
    index : mapping
        Of the published results.
    """
    contributions = list(index["contributions"].values())
    licences = sorted({each["licence"] for each in contributions})
    people = sorted({each["by"] for each in contributions if each["by"]})
    dates = sorted(each["published"] for each in contributions)
    files = [{"@id": "index.json"}, *({"@id": file["path"]} for file in index["files"])]
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": "Published results of benchkit",
        "description": "Rows of robustness benchmarks: one per trial, with the data, split, adversary and code they "
        "were made with; index.json says where each came from.",
        "datePublished": dates[-1] if dates else "",
        "hasPart": files,
        "variableMeasured": [{"@id": f"#column-{name}"} for name in COLUMNS],
    }
    if licences:
        root["license"] = [{"@id": f"{_SPDX}{name}"} for name in licences]
    if people:
        root["author"] = [{"@id": f"#author-{place}"} for place, _ in enumerate(people)]
    graph: list[dict[str, Any]] = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": _CONFORMS},
        },
        root,
        {"@id": "index.json", "@type": "File", "name": "Index", "encodingFormat": "application/json"},
    ]
    graph += [
        {
            "@id": file["path"],
            "@type": "File",
            "name": f"{file['method']} in {file['suite']} ({file['profile']})",
            "encodingFormat": "application/vnd.apache.parquet",
            "contentSize": str(file["bytes"]),
            "sha256": file["sha256"],
        }
        for file in index["files"]
    ]
    graph += [{"@id": f"{_SPDX}{name}", "@type": "CreativeWork", "name": name} for name in licences]
    graph += [{"@id": f"#author-{place}", "@type": "Person", "name": name} for place, name in enumerate(people)]
    graph += [
        {"@id": f"#column-{name}", "@type": "PropertyValue", "name": name, "description": meaning}
        for name, (_, meaning) in COLUMNS.items()
    ]
    return json.dumps({"@context": _CONTEXT, "@graph": graph}, indent=1) + "\n"
