"""Result files of other tools.

Where they come from: ``amlb.csv`` are rows of openml/automlbenchmark (MIT), reports/results_small-8c1h.csv;
``tabarena.csv`` rows of autogluon/tabarena (Apache-2.0), results_per_split.csv of its example_tabarena_v0pt1_local;
``inspect_ai_mock/`` are logs that inspect_ai 0.3.285 wrote of four sums asked of its mock model, without messages,
events, settings, usage and results over all; ``benchopt_run.parquet`` is what benchopt 1.10 wrote of a run of two
solvers; ``lm_eval_expected/`` is EleutherAI/lm-evaluation-harness (MIT),
tests/testdata/cpu_regression_expected.json, in a folder as lm-eval names it. ``lm_eval/`` is made after
lm-evaluation-harness's docs/interface.md (``--output_path``, ``--log_samples``).
"""

import json
import math
import re
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchkit
from benchkit import TableError
from benchkit_judge.formats import FORMATS
from benchkit_judge.logs import KEYS

FILES = Path(__file__).parent / "files"


def scores_in(name, paths):
    return benchkit.judge(paths, format=name).question.scores


def read(name, *paths):
    return scores_in(name, [FILES / path for path in paths])


def cells(scores):
    return {tuple(row[:-1]): row[-1] for row in scores.frame.itertuples(index=False)}


LM_EVAL = [f"lm_eval/{size}__model/results_2024-11-05T13-31-45.581641.json" for size in ("small", "large")]
# What is read: method, task, item or seed, and score, a line each.
OF_SAMPLES = """small__model arc_easy 0 1.0
small__model arc_easy 1 0.0
large__model arc_easy 0 1.0
large__model arc_easy 1 1.0"""
OF_RESULTS = """small/model arc_easy 0.5
large/model arc_easy 0.75
small/model lambada 0.25
large/model lambada 0.25"""
OF_LOGS = "\n".join(
    f"mockllm/small sums {item} {seed} {small}\nmockllm/large sums {item} {seed} {large}"
    for item, small, large in ((1, 1.0, 1.0), (2, 0.0, 1.0), (3, 1.0, 1.0), (4, 0.0, 0.0))
    for seed in (1, 2)
)
CELLS = [
    ("lm-eval", ["lm_eval"], OF_SAMPLES),
    ("lm-eval", LM_EVAL, OF_RESULTS),
    ("inspect_ai", ["inspect_ai_mock"], OF_LOGS),
]


@pytest.mark.parametrize(("name", "paths", "expected"), CELLS)
def test_cells_of_files(name, paths, expected):
    scores = read(name, *paths)
    assert {" ".join(map(str, row)) for row in scores.frame.itertuples(index=False)} == {*expected.splitlines()}
    assert scores.higher_is_better
    assert any("mmlu is left out" in line for line in scores.notes) == (paths is LM_EVAL)


def samples_of(folder, task, metrics, documents):
    """As lm-eval writes them: of each document what ``process_results`` gives, ``{metric: value}``."""
    path = folder / f"samples_{task}_2024-11-05T13-31-45.581641.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"doc_id": place, "filter": "none", "metrics": metrics, **given} for place, given in enumerate(documents)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("metric", ["perplexity", "word_perplexity", "bits_per_byte"])
def test_perplexities_of_lm_eval_samples_are_log_likelihoods(tmp_path, metric):
    """The model with the lower perplexity, exp of the negative mean, is the better one."""
    words, places = 3 + np.arange(20) % 4, np.arange(20)
    likelihoods = {"good": -1.0 - places / 40, "bad": -2.5 - places / 30}
    for model, values in likelihoods.items():
        pairs = zip(values.tolist(), words.tolist(), strict=True)
        documents = [{metric: value if metric == "perplexity" else [value, n], "acc": 0.0} for value, n in pairs]
        samples_of(tmp_path / model, "lambada", [metric, "acc"], documents)
    weight = 20 if metric == "perplexity" else words.sum()
    perplexities = {model: math.exp(-values.sum() / weight) for model, values in likelihoods.items()}
    judged = benchkit.judge(tmp_path)
    assert list(judged.methods) == sorted(perplexities, key=perplexities.get) == ["good", "bad"]
    assert judged.relation("good", "bad") == "better"
    assert judged.means == pytest.approx([likelihoods[model].mean() for model in judged.methods])


@pytest.mark.parametrize(
    ("metrics", "document", "measured", "score", "higher"),
    [
        (["brier_score"], {"brier_score": [1, [0.1, 0.9]]}, "brier_score", 0.02, False),
        (["mcc", "acc"], {"mcc": [0, 1], "acc": 0.5}, "acc", 0.5, True),
        (["bleu"], {"bleu": ["the cat", "a cat"]}, "bleu has no score of a single document", None, None),
        (["edits"], {"edits": 3.0}, "is more edits better", None, None),
    ],
)
def test_metrics_of_lm_eval_samples(tmp_path, metrics, document, measured, score, higher):
    for model in ("a", "b"):
        samples_of(tmp_path / model, "task", metrics, [document] * 3)
    if score is None:
        with pytest.raises(TableError, match=re.escape(measured)):
            scores_in("lm-eval", [tmp_path])
    else:
        scores = scores_in("lm-eval", [tmp_path])
        assert (scores.measured, scores.higher_is_better) == (measured, higher)
        assert cells(scores)["a", "task", "0"] == pytest.approx(score)


def test_metrics_that_lm_eval_does_not_know_go_as_the_results_beside_say(tmp_path):
    directions = {"results": {}, "n-shot": {}, "higher_is_better": {"mine": {"edits": False}}}
    for model in ("a", "b"):
        samples_of(tmp_path / model, "mine", ["edits"], [{"edits": 3.0}] * 3)
        (tmp_path / model / "results_1.json").write_text(json.dumps(directions))
    assert not scores_in("lm-eval", [tmp_path]).higher_is_better


PYTHIA = FILES / "lm_eval_expected" / "pythia" / "results_2026-01-01T00-00-00.000000.json"


def test_what_lm_eval_expects_of_itself_is_read_and_results_of_one_model_in_two_folders_are_two_methods(tmp_path):
    varied(PYTHIA, tmp_path / PYTHIA.name, lambda data: data.update(model_name="other"))
    scores = scores_in("lm-eval", [PYTHIA, tmp_path / PYTHIA.name])
    found = {"arc_easy": 0.3, "lambada_openai": 0.1}
    assert cells(scores) == {(model, task): score for model in ("pythia", "other") for task, score in found.items()}
    assert scores.higher_is_better
    assert any(line.startswith("wikitext is left out: of bits_per_byte less is better") for line in scores.notes)
    for run in ("first", "second"):
        varied(PYTHIA, tmp_path / "two" / run / PYTHIA.name, lambda data: data.update(model_name="pythia"))
    assert set(scores_in("lm-eval", [tmp_path / "two"]).frame["method"]) == {"first", "second"}


def test_what_benchopt_wrote_is_read_and_less_is_better_unless_it_is_said_that_it_is_not(tmp_path):
    scores = read("benchopt", "benchopt_run.parquet")
    found, solvers = cells(scores), ("exact", "gradient-descent")
    assert {cell[:2] for cell in found} == {(solver, f"Simulated[n={n}]") for solver in solvers for n in (50, 100)}
    last = [found[solver, "Simulated[n=50]", "0"] for solver in solvers]
    assert last == pytest.approx([0.634629, 0.637813], abs=1e-6)
    rows = [f"d{place},{solver},9,0,{value}" for place in range(8) for solver, value in (("one", 0.1), ("two", 0.2))]
    path = tmp_path / "b.csv"
    path.write_text("\n".join(["dataset_name,solver_name,stop_val,idx_rep,objective_value", *rows]))
    assert benchkit.judge(path).relation("one", "two") == "better"
    assert benchkit.judge(path, higher_is_better=True).relation("two", "one") == "better"
    # A tolerance begins at 3e38 and falls: the solver ended where it is smallest.
    started = [row.replace(",9,", ",3e38,") + "5" for row in rows]
    text = path.read_text()
    path.write_text("\n".join([text.replace(",9,", ",1e-9,"), *started]))
    judged = benchkit.judge(path)
    assert sorted(judged.means) == pytest.approx([0.1, 0.2])
    path.write_text("\n".join([text, "d0,one,9,0,0.5"]))
    with pytest.raises(TableError, match="which counts"):
        benchkit.judge(path)


def test_amlb_turns_logloss_and_keeps_failures_missing():
    scores = read("amlb", "amlb.csv")
    found = cells(scores)
    assert found["autosklearn", "kc1", "2"] == 0.869675
    assert found["autosklearn", "mfeat-factors", "2"] == -0.0527479
    assert found["autosklearn", "kc1", "6"] != found["autosklearn", "kc1", "6"]
    assert scores.several_metrics
    assert scores.notes == ("1 jobs gave no result",)
    judged = benchkit.judge(FILES / "amlb.csv", unit="seed")
    assert judged.missing.loc["autosklearn", "cells missing"] == 1
    assert any("mixes units" in line for line in judged.notes)
    assert any("Taken for results of amlb" in note for note in judged.notes)


@pytest.mark.parametrize("named", [True, False])
def test_amlb_turns_all_errors(tmp_path, named):
    """Results of regression before 1.0, without the column metric, and errors whose sign was not turned."""
    errors = (("good", 1.5), ("bad", 3))
    rows = [f"t{task},{name},0,{error},{error},rmse" for task in range(6) for name, error in errors]
    lines = ["task,framework,fold,result,rmse,metric", *rows]
    lines = lines if named else [line.rpartition(",")[0] for line in lines]
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n")
    judged = benchkit.judge(tmp_path / "results.csv")
    assert judged.methods == ("good", "bad")
    assert judged.question.scores.measured == "neg_rmse"


def test_tabarenas_imputed_results_are_missing():
    scores = read("tabarena", "tabarena.csv")
    found = cells(scores)
    assert found["CAT (default)", "APSFailure", "0"] == 0.006102845381592004
    imputed = found["TABPFNV2_GPU (default)", "APSFailure", "0"]
    assert imputed != imputed
    assert not scores.higher_is_better
    judged = benchkit.judge(FILES / "tabarena.csv")
    assert "TABPFNV2_GPU (default)" in judged.question.set_aside
    assert judged.methods[0] == "CAT (tuned)"


def varied(path, to, change):
    data = json.loads(path.read_text())
    change(data)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(json.dumps(data))


@pytest.mark.parametrize("name", list(FORMATS))
def test_another_tools_file_is_told_in_one_line(name, tmp_path):
    wrong = tmp_path / ("results_x.json" if name in KEYS else "x.csv")
    wrong.write_text("a,b\n1,2\n" if wrong.suffix == ".csv" else '{"a": 1}')
    with pytest.raises(TableError, match=r"no (results|log) of ") as raised:
        benchkit.judge(wrong, format=name)
    assert "\n" not in str(raised.value)


def test_lines_of_samples_end_at_newlines_alone_and_runs_of_one_model_are_told_apart(tmp_path):
    text = {"doc": "a\u2028b\u2029c\u0085d"}
    files = [
        samples_of(tmp_path / run / "out/gpt2", "arc", ["acc"], [{**text, "acc": float(i < right)} for i in range(40)])
        for run, right in (("first", 36), ("second", 8))
    ]
    for given_paths in (tmp_path, files):
        judged = benchkit.judge(given_paths)
        assert judged.methods == ("first/out/gpt2", "second/out/gpt2")
        assert judged.result.units == 40


def log(path, right, value, zstandard):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        members = {"header.json": {"status": "success", "eval": {"model": path.stem, "task": "t"}}}
        for item in range(30):
            scores = {"scorer": {"value": value(item < right)}}
            members[f"samples/{item}.json"] = {"id": item, "epoch": 1, "scores": scores}
        for name, content in members.items():
            member, text = zipfile.ZipInfo(name), json.dumps(content).encode()
            archive.writestr(member, pa.compress(text, "zstd", asbytes=True) if zstandard else text)
            member.compress_type = 93 if zstandard else zipfile.ZIP_STORED


@pytest.mark.parametrize("zstandard", [True, False])
@pytest.mark.parametrize(
    ("value", "low"),
    [
        (lambda right: right, 0),
        (lambda right: {"note": "x", "acc": float(right)}, 0),
        (lambda right: "C" if right else "P", 0.5),
    ],
)
def test_a_folder_of_logs_holds_more_than_logs_and_scores_in_parts(value, low, zstandard, tmp_path):
    log(tmp_path / "a.eval", 28, value, zstandard)
    log(tmp_path / "b.eval", 5, value, zstandard)
    for index in ("logs.json", "eval-set.json"):
        (tmp_path / index).write_text("{}")
    judged = benchkit.judge(tmp_path)
    assert judged.methods == ("a", "b")
    assert judged.means == pytest.approx([(28 + 2 * low) / 30, (5 + 25 * low) / 30])
    assert any("logs.json" in note for note in judged.notes)


def test_a_constraint_is_part_of_amlbs_method(tmp_path):
    lines = ["task,framework,constraint,fold,result,metric"]
    lines += [f"t{t},{name},{hours},0,0.{t}1,auc" for t in range(8) for name in "AB" for hours in ("1h8c", "4h8c")]
    (tmp_path / "results.csv").write_text("\n".join(lines))
    judged = benchkit.judge(tmp_path / "results.csv")
    assert set(judged.methods) == {"A (1h8c)", "A (4h8c)", "B (1h8c)", "B (4h8c)"}


OF_JSON = {"lm-eval": LM_EVAL[1], "inspect_ai": "inspect_ai_mock/2026-11-23T20-23-08_large.json"}


def places(value, containers):
    """Every place of a document: a container, and the key or the number in it."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        containers.append((value, key))
        if isinstance(item, dict | list):
            places(item, containers)
    return containers


@settings(max_examples=40)
@given(st.sampled_from(list(OF_JSON)), st.data())
def test_a_file_laid_out_otherwise_is_read_or_refused_in_one_line(tmp_path_factory, name, data):
    document = json.loads((FILES / OF_JSON[name]).read_text(encoding="utf-8"))
    inside, key = data.draw(st.sampled_from(places(document, [])))
    other = data.draw(st.sampled_from([None, 0, "x", [], {}, [1], {"a": None}, "taken out"]))
    if other == "taken out":
        inside.pop(key)
    else:
        inside[key] = other
    path = tmp_path_factory.mktemp("laid") / Path(OF_JSON[name]).name
    path.write_text(json.dumps(document), encoding="utf-8")
    line = ""
    try:
        scores_in(name, [path])
    except TableError as error:
        line = str(error)
    assert "\n" not in line
