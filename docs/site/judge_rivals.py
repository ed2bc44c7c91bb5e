"""Write the tables of docs/judge.md on other tools that compare methods: what they find in six tables, and coverage.

    python docs/site/judge_rivals.py
    python docs/site/judge_rivals.py --run PYTHON

The first writes the page from ``docs/judged/rivals.csv``. The second makes that file anew: PYTHON is an interpreter
that has benchkit's dependencies and evalstats, evalsig, autorank, scikit-posthocs and baycomp. It takes some minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
JUDGED = ROOT / "docs" / "judged"
PAGE = ROOT / "docs" / "judge.md"
FIGURES = JUDGED / "rivals.csv"
BEGIN, END = "<!-- written by docs/site/judge_rivals.py -->\n", "<!-- until here -->\n"
RUNS, FOLDS = 10, 10  # of the table of splits
ROPE = 0.01  # of baycomp, differences that do not matter: one point in a hundred, as in its documentation
SECONDS = 60  # of a processor, after which a tool is stopped

TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "demsar-2006": ("14 tasks, 4 methods", {}),
    "amlb-2019-binary": ("20 tasks, 7 methods, ranks, one missing cell", {"by": "ranks"}),
    "generated-tasks": ("8 tasks, 20 methods", {}),
    "digits-items": ("899 items, 7 methods, right or wrong", {}),
    "digits-20": ("20 of these items", {}),
    "breast-splits": ("10 times 10 folds of one data set, 5 methods", {"seed": "split", "test_share": 1 / FOLDS}),
}
"""What a table holds, and what judge is told of it beyond that higher scores are better."""

TOOLS = ("benchkit", "evalstats", "evalsig", "autorank", "scikit-posthocs", "baycomp")

Pairs = list[tuple[str, str]]
"""The better method, and the worse one, of every pair that is told apart."""


# What the tools find in a table: a row for each task, item or split, a column for each method.


def judged_pairs(scores: pd.DataFrame, case: str) -> Pairs:
    """Of benchkit."""
    import benchkit

    options = {"higher_is_better": True, **TABLES[case][1]}
    if "seed" in options:
        rows = scores.reset_index().melt("split", var_name="method", value_name="score")
        judged = benchkit.judge(rows, method="method", score="score", **options)
    else:
        judged = benchkit.judge(scores, wide=True, **options)
    better = judged.pairs[judged.pairs["verdict"] == "better"]
    worse = judged.pairs[judged.pairs["verdict"] == "worse"]
    return [*zip(better["first"], better["second"], strict=True), *zip(worse["second"], worse["first"], strict=True)]


def evalstats_pairs(scores: pd.DataFrame, case: str) -> Pairs:
    """Of evalstats."""
    import evalstats

    rows = scores.rename_axis("item").reset_index().melt("item", var_name="model", value_name="score")
    pairs = evalstats.compare(evalstats.load_from(rows), factors="model").to_dict()["pairwise"]
    return [_ordered(pair["a"], pair["b"], pair["diff"]) for pair in pairs if pair["significant"]]


def evalsig_pairs(scores: pd.DataFrame, case: str) -> Pairs:
    """Of evalsig, whose comparison of two runs is repeated for each pair, with its own correction."""
    from evalsig import compare
    from evalsig.inference.multiplicity import holm
    from evalsig.types import ItemResult, RunFrame

    runs = {
        name: RunFrame(name, name, case, "score", [ItemResult(str(unit), score) for unit, score in column.items()])
        for name, column in scores.items()
    }
    pairs = list(itertools.combinations(scores, 2))
    results = [compare(runs[second], runs[first]) for first, second in pairs]
    _check(result.p_value for result in results)
    rejected = holm(np.array([result.p_value for result in results])).reject
    return [
        _ordered(*pair, result.delta)
        for pair, result, is_apart in zip(pairs, results, rejected, strict=True)
        if is_apart
    ]


def autorank_pairs(scores: pd.DataFrame, case: str) -> Pairs:
    """Of autorank: what its report calls significant."""
    from autorank import autorank

    result = autorank(scores)
    _check([result.pvalue])
    if result.pvalue >= result.alpha:
        return []
    ranks = result.rankdf
    apart = []
    for first, second in itertools.combinations(scores, 2):
        a, b = ranks.loc[first], ranks.loc[second]
        if result.omnibus == "anova":
            is_apart = a["ci_lower"] > b["ci_upper"] or b["ci_lower"] > a["ci_upper"]
        else:
            is_apart = abs(a["meanrank"] - b["meanrank"]) > result.cd
        if is_apart:
            apart.append(_ordered(first, second, b["meanrank"] - a["meanrank"]))
    return apart


def posthocs_pairs(scores: pd.DataFrame, case: str) -> Pairs:
    """Of scikit-posthocs."""
    import scikit_posthocs

    p_values = scikit_posthocs.posthoc_nemenyi_friedman(scores)
    ranks = scores.rank(axis=1).mean()
    pairs = list(itertools.combinations(scores, 2))
    _check(p_values.loc[pair] for pair in pairs)
    return [_ordered(*pair, ranks[pair[0]] - ranks[pair[1]]) for pair in pairs if p_values.loc[pair] < 0.05]


def baycomp_pairs(scores: pd.DataFrame, case: str) -> Pairs:
    """Of baycomp."""
    import baycomp

    apart = []
    for first, second in itertools.combinations(scores, 2):
        x, y = (scores[name].to_numpy(dtype=float) for name in (first, second))
        if case == "breast-splits":
            chances = baycomp.two_on_single(x, y, ROPE, runs=RUNS)
        else:
            chances = baycomp.two_on_multiple(x, y, ROPE, random_state=0)
        _check(chances)
        if max(chances[0], chances[-1]) >= 0.95:
            apart.append(_ordered(first, second, chances[0] - chances[-1]))
    return apart


FINDERS: dict[str, Callable[[pd.DataFrame, str], Pairs]] = {
    "benchkit": judged_pairs,
    "evalstats": evalstats_pairs,
    "evalsig": evalsig_pairs,
    "autorank": autorank_pairs,
    "scikit-posthocs": posthocs_pairs,
    "baycomp": baycomp_pairs,
}


def _ordered(first: str, second: str, lead: float) -> tuple[str, str]:
    if np.isnan(lead):
        raise ArithmeticError("a difference is nan")
    return (first, second) if lead > 0 else (second, first)


def _check(p_values: Any) -> None:
    if np.isnan(list(p_values)).any():
        raise ArithmeticError("p is nan")


# Running them.


def read_table(case: str) -> pd.DataFrame:
    """The scores of a table; the twenty items are the first of the digits."""
    scores = pd.read_csv(JUDGED / f"{'digits-items' if case == 'digits-20' else case}.csv", index_col=0)
    return scores.head(20) if case == "digits-20" else scores


def answer(tool: str, case: str, is_whole: bool) -> dict[str, Any]:
    """What a tool finds, and what it raises; without the rows that lack a cell unless the table is whole."""
    scores = read_table(case)
    if not is_whole:
        scores = scores.dropna()
    try:
        found: dict[str, Any] = {"apart": FINDERS[tool](scores, case)}
    except ArithmeticError as error:
        found = {"error": str(error)}
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {error}"[:200]}
    return {**found, "version": version(tool)}


def run(python: str, tool: str, case: str, is_whole: bool = True) -> dict[str, Any]:
    """The answer of three fresh processes, with the processor seconds of the slowest."""
    command = [python, "-W", "ignore", __file__, "--answer", tool, case, *([] if is_whole else ["--complete-rows"])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugins")])}
    seconds = 0.0
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = max(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode:
            return {"error": f"stopped after {SECONDS} s" if done.returncode < 0 else done.stderr[-200:]}
    return {**json.loads(done.stdout.splitlines()[-1]), "seconds": round(seconds, 1)}


def tables(python: str) -> Iterator[tuple[str, str, str, Any]]:
    """The figures of every table and tool."""
    for case in TABLES:
        ours: set[tuple[str, str]] = set()
        for tool in TOOLS:
            result = run(python, tool, case)
            if "error" in result and read_table(case).isna().to_numpy().any():
                result = {**run(python, tool, case, is_whole=False), "error": result["error"]}
            if case != next(iter(TABLES)):
                result.pop("version", None)
            if "apart" in result:
                apart = {tuple(pair) for pair in result.pop("apart")}
                if tool == "benchkit":
                    ours = apart
                result |= {"apart": len(apart), "shared": len(apart & ours)}
                result["opposite"] = len({pair[::-1] for pair in apart} & ours)
            for figure, value in result.items():
                yield case, tool, figure, value
            print(case, tool, result, file=sys.stderr)


# Coverage of intervals.

KINDS = ("normal", "exponential", "right or wrong")
ITEMS = (10, 15, 30)
DRAWS = 200


def draw(kind: str, n_items: int, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of four methods on items that are hard or easy for all of them, and the true means; two are equal."""
    shared, own = rng.standard_normal((n_items, 1)), rng.standard_normal((n_items, 4))
    if kind == "normal":
        means = np.array([0, 0, 0.3, 0.6])
        scores = means + shared + own
    elif kind == "exponential":
        means = np.array([1, 1, 1.3, 1.6])
        scores = rng.exponential(size=(n_items, 1)) + means * rng.exponential(size=(n_items, 4))
    else:
        from scipy.stats import norm

        means = np.array([0.6, 0.6, 0.7, 0.85])
        scores = (np.sqrt(0.5) * (shared + own) < norm.ppf(means)).astype(float)
    return pd.DataFrame(scores, columns=list("abcd")).rename_axis("item"), means


def intervals(tool: str, scores: pd.DataFrame) -> dict[tuple[str, str], tuple[float, float]]:
    """The intervals of all pairs' differences of means."""
    if tool == "benchkit":
        import benchkit

        pairs = benchkit.judge(scores.reset_index(), item="item", higher_is_better=True, wide=True).pairs
        return {(row.first, row.second): (row.low, row.high) for row in pairs.itertuples()}
    import evalstats

    rows = scores.reset_index().melt("item", var_name="model", value_name="score")
    pairs = evalstats.compare(evalstats.load_from(rows), factors="model").to_dict()["pairwise"]
    return {(pair["a"], pair["b"]): (pair["ci_low"], pair["ci_high"]) for pair in pairs}


def coverage(kind: str, n_items: int) -> Iterator[tuple[str, str, str, Any]]:
    """In how many tables all intervals hold at once, and their median width."""
    for tool in ("benchkit", "evalstats"):
        rng = np.random.default_rng([KINDS.index(kind), n_items])
        covered, widths, refused = 0, [], 0
        for _ in range(DRAWS):
            scores, means = draw(kind, n_items, rng)
            truth = dict(zip(scores, means, strict=True))
            try:
                bounds = intervals(tool, scores)
            except ValueError:
                refused += 1
                continue
            covered += all(
                low - 1e-9 <= truth[first] - truth[second] <= high + 1e-9
                for (first, second), (low, high) in bounds.items()
            )
            widths += [high - low for low, high in bounds.values()]
        case = f"{kind}, {n_items} items"
        yield case, tool, "refused", refused
        if widths:
            yield case, tool, "covered", covered
            yield case, tool, "width", f"{np.median(widths):.2f}"


# The tables that are drawn or computed, and the figures that are kept.


def generated_tasks() -> pd.DataFrame:
    """Accuracies of twenty classifiers of scikit-learn on eight generated tasks."""
    from sklearn.datasets import make_classification
    from sklearn.model_selection import train_test_split
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    methods: dict[str, Any] = {f"svm C={2.0**power:g}": SVC(C=2.0**power) for power in range(-6, 6)}
    methods |= {f"{k} nearest": KNeighborsClassifier(k) for k in (1, 5, 25, 125)}
    methods |= {
        f"tree depth {depth}": DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 2, 4, 8)
    }
    rows = {}
    for task in range(8):
        X, y = make_classification(1500, n_informative=6, flip_y=0.1, n_clusters_per_class=3, random_state=task)
        train_X, test_X, train_y, test_y = train_test_split(X, y, test_size=2 / 3, random_state=0)
        rows[task] = {
            name: round(model.fit(train_X, train_y).score(test_X, test_y), 4) for name, model in methods.items()
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")


def breast_splits() -> pd.DataFrame:
    """Accuracies of five classifiers of scikit-learn in ten times ten folds of its data set on breast cancer."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    methods = {
        "svm": SVC(),
        "logistic": LogisticRegression(),
        "k-nearest": KNeighborsClassifier(),
        "naive-bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
    }
    X, y = load_breast_cancer(return_X_y=True)
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=RUNS, random_state=0)
    scores = {
        name: cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=splits)
        for name, model in methods.items()
    }
    return pd.DataFrame(scores).round(4).rename_axis("split")


def measure(python: str) -> None:
    """Make the kept figures anew."""
    for case, make in {"generated-tasks": generated_tasks, "breast-splits": breast_splits}.items():
        make().to_csv(JUDGED / f"{case}.csv")
    rows = list(tables(python))
    for kind, n_items in itertools.product(KINDS, ITEMS):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugins")])}
        command = [python, "-W", "ignore", __file__, "--coverage", kind, str(n_items)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        rows += json.loads(done.stdout.splitlines()[-1])
        print(kind, n_items, file=sys.stderr)
    pd.DataFrame(rows, columns=["case", "tool", "figure", "value"]).to_csv(FIGURES, index=False)


def kept() -> dict[tuple[str, str], dict[str, str]]:
    """The kept figures, by case and tool."""
    figures = pd.read_csv(FIGURES, dtype=str, keep_default_na=False)
    return {
        key: dict(zip(part["figure"], part["value"], strict=True)) for key, part in figures.groupby(["case", "tool"])
    }


# The page.


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(figures: Mapping[str, str]) -> str:
    """Pairs told apart, those that judge tells apart, too, and seconds; or what the tool raised."""
    error = figures.get("error", "")
    raised = f"`{error.split(':')[0]}`" if ":" in error else error
    if "apart" not in figures:
        return raised
    result = f"{figures['apart']} ({figures['shared']}), {figures['seconds']} s"
    return f"{raised}; without the row {result}" if error else result


def written(figures: Mapping[tuple[str, str], Mapping[str, str]]) -> str:
    """The page's two tables."""
    first = next(iter(TABLES))
    names = [f"{tool} {figures[first, tool]['version']}" for tool in TOOLS]
    lines = [_row(["table", *names]), "|" + "---|" * (1 + len(TOOLS))]
    lines += [_row([title, *(cell(figures[case, tool]) for tool in TOOLS)]) for case, (title, _) in TABLES.items()]
    lines += ["", _row(["scores", "benchkit", "width", "evalstats", "width"]), "|" + "---|" * 5]
    for kind, n_items in itertools.product(KINDS, ITEMS):
        case, cells = f"{kind}, {n_items} items", []
        for tool in ("benchkit", "evalstats"):
            one = figures[case, tool]
            share = int(one.get("covered", 0)) / max(1, DRAWS - int(one["refused"]))
            cells += [f"{100 * share:.1f} %", one["width"]] if "covered" in one else ["refuses", ""]
        lines.append(_row([case, *cells]))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page, after a run if asked; or answer for one tool."""
    parser = argparse.ArgumentParser(description="Compare benchkit judge with other tools, for docs/judge.md.")
    parser.add_argument("--run", metavar="PYTHON", help="make the figures anew with this interpreter")
    parser.add_argument("--answer", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--complete-rows", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--coverage", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.answer:
        print("\n" + json.dumps(answer(*asked.answer, not asked.complete_rows)))
        return
    if asked.coverage:
        print("\n" + json.dumps(list(coverage(asked.coverage[0], int(asked.coverage[1])))))
        return
    if asked.run:
        measure(asked.run)
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + written(kept()) + "\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
