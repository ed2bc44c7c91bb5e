"""What things are called, and what benchkit itself has of each kind, suites too; nothing here needs a library."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

NO_ADVERSARY = "none"
"""What a record says of a trial without an adversary."""
SPLITS = ("random", "k-fold", "none")
"""The methods of dividing rows."""
IMPUTE_WHERE_NEEDED = "impute-where-needed"
STEPS = ("standardize", "unit-variance", "log1p", "clip", "scale", "impute", IMPUTE_WHERE_NEEDED)
"""The preprocessing steps."""
VALUES = ("uniform", "mutual-information", "given")
"""The rules for what features cost."""
BUILT_IN = {"splits": SPLITS, "preprocessing_steps": STEPS}
"""What the suite format has itself, by the kind of declarations that plugins add."""


def imputes(steps: Sequence[str | Mapping[str, Any]], *names: str) -> bool:
    """Whether a step fills gaps; by one of these names, or any."""
    wanted = {*(names or ("impute", IMPUTE_WHERE_NEEDED))}
    return any(isinstance(step, Mapping) and not wanted.isdisjoint(step) for step in steps)


def digest(content: Any, length: int = 16) -> str:
    """Short hash of plain values."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:length]


def portable_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they are elsewhere: of a user's files the names, without their folders."""
    path = params.get("path")
    if isinstance(path, list | tuple):
        return {**params, "path": [PurePath(file).name if isinstance(file, str) else file for file in path]}
    return {**params, "path": PurePath(path).name} if isinstance(path, str) else dict(params)


def dataset_name(label: str, params: Mapping[str, Any]) -> str:
    """A dataset with its parameters as people see it: ``digits 4 vs 7``, ``usps 4 vs 7 scale=unit``."""
    return " ".join([label, *(parameter_text(key, value) for key, value in params.items())])


def parameter_text(key: str, value: Any) -> str:
    """``scale=unit``, and of a pair of classes ``4 vs 7``."""
    is_pair = key == "pair" and isinstance(value, list | tuple) and len(value) == 2
    return f"{value[0]} vs {value[1]}" if is_pair else f"{key}={value}"


def values_name(values: str | Sequence[float]) -> str:
    """How records refer to feature values: a word is itself, a list, which may be long, ``list-`` and its hash."""
    return values if isinstance(values, str) else f"list-{digest(list(values))}"


def is_number(text: str) -> bool:
    """Whether a text is one number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def share_of(text: str) -> float | None:
    """The share that a text such as ``10%`` stands for; None where it stands for none."""
    number = text.removesuffix("%")
    return float(number) / 100 if number != text and is_number(number) else None


def shipped_folder() -> Path:
    """Where the shipped suites are: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def shipped() -> dict[str, Path]:
    """Names and paths of the shipped suites."""
    return {path.stem: path for path in sorted(shipped_folder().glob("*.yaml"))}


def read_title(path: Path) -> str:
    """A shipped suite's title, which stands in a line of its own: of the rest of the file nothing is read."""
    with path.open(encoding="utf-8") as lines:
        return next((line.partition(":")[2].strip().strip('"') for line in lines if line.startswith("title:")), "")
