"""Result files of other tools, in JSON or archives of JSON: how they are recognised, and a reader of each."""

import io
import json
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import TableError
from benchkit_judge.scores import Scores

KEYS = {"lm-eval": ("results", "n-shot"), "inspect_ai": ("eval",)}
"""What wrote files, and keys of the objects that they hold."""
INDEXES = ("logs.json", "eval-set.json")
"""Files beside results."""
SAMPLES = re.compile(r"samples_.+\.jsonl")
"""Names of lm-eval's files of samples."""
_DATED_SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.\-]+\.jsonl")


def files_of(paths: Sequence[Path], pattern: str = "*") -> Iterator[Path]:
    """The files named, and those of the folders named that fit a pattern, in the order of their names."""
    for path in paths:
        if not path.is_file() and not path.is_dir():
            raise TableError(f"{path}: {'a device or a pipe, no file' if path.exists() else 'no such file or folder'}")
        yield from sorted(file for file in path.rglob(pattern) if file.is_file()) if path.is_dir() else [path]


def read_logs(name: str, paths: Sequence[Path]) -> Scores:
    """The scores of a tool's files; one line where they are not laid out so."""
    try:
        return _lm_eval(paths) if name == "lm-eval" else _inspect_ai(paths)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise TableError(f"{paths[0]}: {not_laid_out(name, error)}") from error


def not_laid_out(name: str, error: Exception) -> TableError:
    """What a reader raises where it finds something else than the tool writes."""
    reason = f"no {error}" if isinstance(error, KeyError) else str(error)[:100]
    return TableError(f"not laid out as results of {name} are: {reason}")


def load(path: Path) -> Any:
    """What a file of JSON holds."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"{path}: cannot be read as JSON: {str(error)[:120]}") from None


def is_of(name: str, data: Any) -> bool:
    """Whether a document of JSON is one of a tool."""
    return isinstance(data, dict) and {*KEYS[name]} <= data.keys()


def _documents(name: str, paths: Sequence[Path], pattern: str = "*") -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every file of a tool, and what it holds."""
    for path in files_of(paths, pattern):
        if path.name in INDEXES or path.suffix not in (".json", ".eval"):
            continue
        data = _archive(path) if path.suffix == ".eval" else load(path)
        if not is_of(name, data):
            raise TableError(f"{path}: no results of {name}: no {' with '.join(map(repr, KEYS[name]))}")
        yield path, data


_LIKELIHOODS = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
# As lm_eval/api/metrics.py registers them; but for TER, an error rate, which is registered as higher is better and
# described there as the opposite.
_HIGHER = ("acc", "acc_norm", "acc_mutual_info", "acc_all", "exact_match", "f1", "mcc", "bleu", "chrf")
_LOWER = (*_LIKELIHOODS, "brier_score", "ter", "mae")


def _lm_eval(paths: Sequence[Path]) -> Scores:
    """lm-evaluation-harness: ``results_*.json`` of every model, and ``samples_TASK_*.jsonl`` of ``--log_samples``.

    Where there are samples, every document is an item; else every task has one score, its first metric. Of some metrics
    samples hold what the tool computes a score of all documents from (``lm_eval/api/task.py``, ``process_results``).
    Perplexities and bits per byte: the log-likelihood, of which higher is better. As the documents, and so their words
    and bytes, are the same for all models, its mean over documents orders them as the tool's number does, the other way
    round. Brier scores: the right answer and the probabilities, of which each document has a score. F1, MCC, BLEU, chrF
    and TER: pairs of texts or labels, which are scored all together only.

    Tasks that are on another scale than the most are left out: scores of which less is better, or log-likelihoods.
    """
    notes: list[str] = []
    rows = list(_lm_eval_samples(paths))
    if not rows:
        rows = list(_lm_eval_results(paths, notes))
        notes.append("scores of whole tasks: with --log_samples lm-eval also writes those of every question")
    if not rows:
        raise TableError(f"{paths[0]}: no results_*.json or samples_*.jsonl of lm-eval here")
    frame = pd.DataFrame(rows)
    frame["scale"] = [*zip(frame["higher"], ~frame["metric"].str.startswith("log-likelihood"), strict=True)]
    tasks = frame.drop_duplicates("task", keep="last")
    counts = Counter(tasks["scale"])
    kept = max(counts, key=lambda scale: (counts[scale], scale))
    for row in tasks[tasks["scale"] != kept].itertuples():
        reason = f"{row.metric} is on another scale than the others"
        if row.higher != kept[0]:
            reason = f"of {row.metric} {'more' if row.higher else 'less'} is better, unlike the others"
        notes.append(f"{row.task} is left out: {reason}")
    frame = frame[frame["scale"] == kept].dropna(axis=1, how="all")
    metrics = list(frame["metric"].unique())
    notes.append(f"the first metric of each task: {', '.join(metrics)}")
    facts = {"measured": metrics[0], "higher_is_better": bool(kept[0]), "several_metrics": len(metrics) > 1}
    return Scores(frame=frame, **facts, notes=notes)


def _lm_eval_samples(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    files = [path for path in files_of(paths, "samples_*.jsonl") if _DATED_SAMPLES.fullmatch(path.name)]
    runs = _names_of_folders(files)
    for path in files:
        folder, task = path.absolute().parent, path.name.removeprefix("samples_").rpartition("_")[0]
        directions: dict[str, Any] = {}  # from results in the samples' folder
        for data in map(load, sorted(folder.glob("results*.json"))):
            directions |= data.get("higher_is_better", {}).get(task, {}) if is_of("lm-eval", data) else {}
        first_filter = None
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                # Several filters of one answer: the first is the one that results name first.
                first_filter = first_filter or sample.get("filter")
                if sample.get("filter") not in (None, "none", first_filter):
                    continue
                metrics = sample.get("metrics") or ["acc"]
                scores = {metric: _document_score(metric, sample[metric]) for metric in metrics}
                row = {"method": runs[folder], "task": task, "item": sample["doc_id"]}
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                raise TableError(f"{path}: line {number} is not a sample of lm-eval: {error!s:.80}") from None
            metric = next((metric for metric, score in scores.items() if score is not None), None)
            if metric is None:
                reason = f"{' and '.join(metrics)} has no score of a single document"
                raise TableError(f"{path}: {reason}; judge results_*.json instead")
            likelihood = metric in _LIKELIHOODS
            higher = likelihood or _is_higher_better(metric, directions, path)
            named = f"log-likelihood ({metric})" if likelihood else metric
            yield {**row, "score": scores[metric], "metric": named, "higher": higher}


def _names_of_folders(paths: Sequence[Path]) -> dict[Path, str]:
    """What the folders of files are called: by their names, and as many folders above as tell them apart."""
    folders = {path.absolute().parent for path in paths}
    depths = range(1, 1 + max((len(folder.parts) for folder in folders), default=0))
    named = ({folder: "/".join(folder.parts[-depth:]) for folder in folders} for depth in depths)
    return next((names for names in named if len({*names.values()}) == len(folders)), {})


def _document_score(metric: str, value: Any) -> Any:
    """The score of one document; None where the metric has none."""
    if not isinstance(value, list):
        return value
    if metric == "brier_score":
        right, probabilities = value
        return sum((chance - (place == right)) ** 2 for place, chance in enumerate(probabilities))
    return value[0] if metric in _LIKELIHOODS else None


def _is_higher_better(metric: str, directions: Mapping[str, Any], path: Path) -> bool:
    """Whether more is better: by the tool's registry of metrics, else by what the task's results say."""
    higher = metric in _HIGHER if metric in (*_HIGHER, *_LOWER) else directions.get(metric)
    if not isinstance(higher, bool):
        advice = "results_*.json of lm-eval 0.4.3 or newer say so: keep them beside"
        raise TableError(f"{path}: is more {metric} better? {advice}")
    return higher


def _lm_eval_results(paths: Sequence[Path], notes: list[str]) -> Iterator[dict[str, Any]]:
    documents = list(_documents("lm-eval", paths, "results*.json"))
    runs = _names_of_folders([path for path, _ in documents])
    models = {(data.get("model_name"), path.absolute().parent) for path, data in documents}
    folders = Counter(model for model, _ in models)  # of each model
    for path, data in documents:
        model, folder = data.get("model_name"), path.absolute().parent
        method = model if model and folders[model] == 1 else runs[folder]
        for task, values in data["results"].items():
            if data.get("group_subtasks", {}).get(task):
                notes.append(f"{task} is left out: a mean over its subtasks, which are judged")
                continue
            key = next((key for key in values if "," in key and "_stderr" not in key), None)
            if key is not None:
                metric = key.partition(",")[0]
                higher = _is_higher_better(metric, data.get("higher_is_better", {}).get(task, {}), path)
                yield {"method": method, "task": task, "score": values[key], "metric": metric, "higher": higher}


# As inspect_ai.scorer.value_to_float has them: correct, partially correct, incorrect, no answer.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ZSTANDARD = 93


def _inspect_ai(paths: Sequence[Path]) -> Scores:
    """inspect_ai: logs as JSON, or as ``.eval``, an archive of JSON; every sample is an item, every epoch a seed.

    Scored by the first scorer of each log.
    """
    rows: list[dict[str, Any]] = []
    scorers: dict[str, None] = {}
    failed = 0
    for _, data in _documents("inspect_ai", paths):
        failed += data.get("status") not in (None, "success")
        log = data["eval"]
        for sample in data.get("samples") or []:
            scorer, score = next(iter((sample.get("scores") or {}).items()), ("", {"value": None}))
            value = score["value"]
            if isinstance(value, dict) and value:  # several scores of one scorer
                key = next((key for key, part in value.items() if isinstance(_counted(part), float)), next(iter(value)))
                value, scorer = value[key], f"{scorer}: {key}"
            scorers |= {scorer: None} if scorer else {}
            cell = {"method": log["model"], "task": log.get("task", "task"), "item": sample["id"]}
            rows.append({**cell, "seed": sample.get("epoch", 1), "score": _counted(value)})
    if failed and all(row["score"] is None for row in rows):
        raise TableError(f"{paths[0]}: no sample was scored, and {failed} logs did not end with success")
    if not rows:
        raise TableError(f"{paths[0]}: no samples in it; log samples, or give a table of scores")
    notes = [f"scored by {', '.join(scorers)}; C counts 1, P a half, I and N 0"]
    notes += [f"{failed} logs did not end with success: what is missing of them is left out"] if failed else []
    if indexes := {path.name for path in files_of(paths, "*.json")} & {*INDEXES}:
        notes.append(f"{' and '.join(sorted(indexes))} hold no samples and are left out")
    frame = pd.DataFrame(rows)
    frame = frame.drop(columns="seed") if frame["seed"].nunique() == 1 else frame
    return Scores(frame=frame, measured="score", higher_is_better=True, notes=notes)


def _counted(value: Any) -> Any:
    """What a score of inspect_ai counts: a number, or what it is where that is none."""
    if isinstance(value, str):
        return _LETTERS.get(value, _WORDS.get(value.lower(), value))
    return float(value) if isinstance(value, int) else value


def _archive(path: Path) -> Any:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
            header, *samples = (json.loads(_member(archive, path, name)) for name in ("header.json", *names))
            return {**header, "samples": samples}
    except (OSError, KeyError, ValueError, RecursionError, zipfile.BadZipFile) as error:
        raise TableError(f"{path}: no log of inspect_ai: {str(error)[:100]}") from None


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """A member of an archive, also one compressed by Zstandard, which zipfile reads from Python 3.14 on."""
    member = archive.getinfo(name)
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    import pyarrow as pa

    with path.open("rb") as file:
        file.seek(member.header_offset + 26)  # of the local header, APPNOTE.TXT 4.3.7
        file.seek(sum(struct.unpack("<HH", file.read(4))), io.SEEK_CUR)
        return bytes(pa.input_stream(pa.py_buffer(file.read(member.compress_size)), compression="zstd").read())
