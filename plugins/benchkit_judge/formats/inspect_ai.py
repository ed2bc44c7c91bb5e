"""inspect_ai: logs as JSON, or as ``.eval``, an archive of JSON; every sample is an item, every epoch a seed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit import TableError
from benchkit_judge.formats.json_files import files_below, load_json
from benchkit_judge.scores import Scores, checked

NAME = "inspect_ai"
# As inspect_ai.scorer.value_to_float has them: correct, partially correct, incorrect, no answer.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
INDEXES = ("logs.json", "eval-set.json")  # of a folder of logs
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def recognises(data: Any) -> bool:
    """Whether this is what a log holds."""
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and "model" in data["eval"]


def read(paths: Sequence[Path]) -> Scores:
    """Scores of the models, by the first scorer of each log."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    scorers: dict[str | None, None] = {}
    failed = 0
    logs = [path for path in files_below(paths, "*") if path.suffix in (".json", ".eval") and path.name not in INDEXES]
    for path in logs:
        data = _archive(path) if path.suffix == ".eval" else load_json(path)
        if not recognises(data):
            raise TableError(f"{path}: no log of inspect_ai: it has no 'eval' with a 'model'")
        failed += data.get("status") not in (None, "success")
        for sample in data.get("samples") or []:
            given = sample.get("scores") or {}
            scorer = next(iter(given), None)
            value = given[scorer]["value"] if scorer else None
            if isinstance(value, dict) and value:  # several scores of one scorer
                part = next((key for key, one in value.items() if _is_number(_number(one))), next(iter(value)))
                value, scorer = value[part], f"{scorer}: {part}"
            scorers[scorer] = None
            cell = {"method": data["eval"]["model"], "task": data["eval"].get("task", "task")}
            rows.append({**cell, "item": sample["id"], "seed": sample.get("epoch", 1), "score": _number(value)})
    if failed and all(row["score"] is None for row in rows):
        raise TableError(f"{paths[0]}: no sample was scored, and {failed} logs did not end with success")
    if not rows:
        raise TableError(f"{paths[0]}: no samples in it; log samples, or give a table of scores")
    told = [f"scored by {', '.join(str(name) for name in scorers if name)}; C counts 1, P a half, I and N 0"]
    told += [f"{failed} logs did not end with success: what is missing of them is left out"] if failed else []
    frame = pd.DataFrame(rows)
    frame = frame.drop(columns="seed") if frame["seed"].nunique() == 1 else frame
    return checked(frame, str(paths[0]), measured="score", higher_is_better=True, told=told)


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        return float(value)
    return _LETTERS.get(value, _WORDS.get(value.lower(), value)) if isinstance(value, str) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _archive(path: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
            data: dict[str, Any] = json.loads(archive.read("header.json"))
            return {**data, "samples": [json.loads(archive.read(name)) for name in names]}
    except NotImplementedError:  # Python 3.14 reads Zstandard
        raise TableError(
            f"{path}: compressed with Zstandard, which this Python cannot read; write it as JSON: inspect log convert "
            f"{path.name} --to json --output-dir DIR"
        ) from None
    except (OSError, KeyError, ValueError, RecursionError, zipfile.BadZipFile) as error:
        raise TableError(f"{path}: no log of inspect_ai: {str(error)[:100]}") from None
