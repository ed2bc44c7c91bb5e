"""Write docs/reproduction/tabfsbench.md: the template docs/site/tabfs.yaml, with the numbers of published rows.

    BENCHKIT_DATA=FOLDER python docs/site/tabfs.py results

tabfs_rows.py reads the rows, tabfs_statistics.py computes numbers from them, and here they become tables and sentences.
The data are needed for sums of correlations over all of a table, as the paper's code has them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
import yaml
from tabfs_rows import CLASSES, ORDERS, Rows, gaps, number_of, shifted, single, with_sums
from tabfs_statistics import (
    LIMIT,
    MISSING,
    TABLE_CLAIMS,
    Finding,
    by_repetition,
    closed_predicts,
    counted,
    follows_sum,
    interval,
    networks_less_trees,
    over_tables,
    pearson,
    rank_correlation,
    shown,
    top_hurts_most,
)

HERE = Path(__file__).parent
PAGE = HERE.parent / "reproduction" / "tabfsbench.md"
TEMPLATE = HERE / "tabfs.yaml"
FOLLOWS = "follows-correlations"
PROTOCOLS = {"paper": "at the paper's protocol", "ours": "at ours"}


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown, numbers to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def findings(rows: Rows) -> dict[str, Finding]:
    """The paper's claims, by name and protocol."""
    found = {}
    for protocol in PROTOCOLS:
        tables = {"single": single(rows, protocol == "paper")}
        others = shifted(rows, protocol == "paper")
        for name, claim in TABLE_CLAIMS.items():
            found[f"{name}_{protocol}"] = Finding(claim, tables.get(name, others))
    return found


def claims_table(found: Mapping[str, Finding]) -> str:
    """A row for each claim: its number and bar, and what it is at each protocol."""
    head = ["claim", "number and bar", *PROTOCOLS.values()]
    rows = [
        [claim.claim, claim.number, *(str(found[f"{name}_{protocol}"]) for protocol in PROTOCOLS)]
        for name, claim in TABLE_CLAIMS.items()
    ]
    return table(head, rows).replace("---:", "---")


def kinds_table(rows: Rows) -> str:
    """Networks less boosted trees, by table and protocol: with all columns, without some, and what is lost."""
    lines = []
    for protocol, at_paper in (("the paper's", True), ("ours", False)):
        for name, frame in shifted(rows, at_paper).items():
            line = [f"{name}, {protocol}"]
            for column in ("clean", "score", "lost"):
                make = partial(networks_less_trees, column=column)
                line.append(f"{make(frame):+.3f}" if at_paper else by_repetition(frame, make))
            if not {"+nan", MISSING} & set(line):
                lines.append(line)
    return table(["table and protocol", "accuracy with all columns", "without some", "share lost"], lines)


def gap_tables(rows: Rows) -> dict[str, str]:
    """Mean gap over degrees, most correlated columns first: at the paper's protocol, and at ours."""
    made = {}
    for protocol, at_paper in (("paper", True), ("ours", False)):
        tables = {name: each[each["adversary"] == "most"] for name, each in shifted(rows, at_paper).items()}
        methods = list(dict.fromkeys(name for each in tables.values() for name in each["algorithm"]))
        lines = []
        for method in methods:
            line = [method]
            for frame in tables.values():
                cell = frame[frame["algorithm"] == method]
                if cell.empty:
                    line.append("")
                elif at_paper:
                    line.append(f"{cell['gap'].mean():.3f}")
                else:
                    line.append(f"{cell.groupby('repetition')['gap'].mean().mean():.3f}")
            lines.append(line)
        made[f"gaps_{protocol}"] = table(["method", *tables], lines)
    return made


def single_table(rows: Rows) -> str:
    """Spearman's correlation of a column's rank by |Pearson| with what its absence costs, at the paper's protocol."""
    methods = ["lightgbm", "xgboost", "xgboost-stumps", "random-forest", "logistic-regression", "ridge"]
    lines = []
    for name, frame in single(rows, True).items():
        cells = [frame[frame["algorithm"] == method] for method in methods]
        numbers = ["" if cell.empty else f"{rank_correlation(cell):.3f}" for cell in cells]
        lines.append([f"{name} ({frame['axis_value'].nunique()} columns)", *numbers])
    return table(["table", *methods], lines)


def two_worst(rows: Rows, adversary: str) -> pd.DataFrame:
    """Trials in which an adversary takes two columns."""
    frame = rows.of("tabfs-correlation", FOLLOWS)
    return frame[(frame["adversary"] == adversary) & (frame["budget"] == 2)]


def worst_table(frame: pd.DataFrame) -> str:
    """How far the worst columns follow the correlations: Somers' D of each split, its mean with the interval."""
    methods = list(frame["algorithm"].unique())
    lines = []
    for name in frame["dataset"].unique():
        cells = [frame[(frame["dataset"] == name) & (frame["algorithm"] == method)] for method in methods]
        found = ["" if cell.empty else by_repetition(cell, lambda split: split[FOLLOWS].mean(), 1) for cell in cells]
        lines.append([str(name), *found])
    return table(["table", *methods], lines)


def worst_over_tables(frame: pd.DataFrame) -> str:
    """The mean over tables of `follows-correlations`, itself a mean over methods and splits."""
    by_table = frame.groupby("dataset")[FOLLOWS].mean().to_dict()
    found = over_tables({str(name): value for name, value in by_table.items()})
    over = counted(frame.groupby("dataset")["repetition"].nunique().tolist())
    return f"{shown(found, 2)}, a mean over {over}" if len(by_table) > 1 else "one table only"


def effect_lines(rows: Rows) -> str:
    """What each of the two effects of the code moves, by order, table and number."""
    lines = []
    for suite, suffix, words in (
        ("tabfs-shared-frames", "shared", "one table for all degrees"),
        ("tabfs-recoded", "recoded", "categories coded anew"),
    ):
        found = gaps(with_sums(rows.of(suite)), CLASSES)
        found["lost"], found["score"] = -found["gap"], found[CLASSES]
        found["order"] = found["adversary"].str.removesuffix(f"-{suffix}")
        found["with"] = found["adversary"].str.endswith(f"-{suffix}")
        # What the benchmark would plot: the columns that the degree names, not those that are absent.
        keys = ["dataset", "algorithm", "repetition", "order", "budget"]
        named = found[~found["with"]].set_index(keys)["absent-correlation"]
        found["absent-correlation"] = named.reindex(pd.MultiIndex.from_frame(found[keys])).to_numpy()
        share = float((found["n_test"] / found["n_train"]).mean())
        numbers: list[tuple[str, Callable[[pd.DataFrame], float], list[str]]] = [
            ("gap, least", lambda split: split["gap"].mean(), ["least"]),
            ("gap, most", lambda split: split["gap"].mean(), ["most"]),
            ("sum and loss", follows_sum, ORDERS),
        ]
        for name in found["dataset"].unique():
            for title, make, orders in numbers:
                cell = found[(found["dataset"] == name) & found["order"].isin(orders)]
                values = {
                    switched: cell[cell["with"] == switched].groupby("repetition").apply(make)
                    for switched in (False, True)
                }
                moved = (values[True] - values[False]).dropna()
                lines.append(
                    [
                        words,
                        str(name),
                        title,
                        *(f"{round(values[switched].loc[0], 3) + 0.0:.3f}" for switched in (False, True)),
                        shown(interval(moved.to_numpy(), share)),
                    ]
                )
    return table(["effect", "table", "number", "without", "with", "moved by"], lines)


def closed_open(rows: Rows, name: str) -> str:
    """Spearman's correlation over many methods of the accuracy with all columns and its mean over degrees."""
    frame = rows.of("tabfs-closed-open")
    frame = frame[(frame["dataset"] == name) & (frame["adversary"] == "random") & (frame["algorithm"] != "constant")]
    found = gaps(frame, CLASSES)
    found["score"] = found[CLASSES]
    return by_repetition(found, closed_predicts, limit=1)


def difference(rows: Rows, name: str, first: tuple[str, str], second: tuple[str, str]) -> str:
    """Mean accuracy over degrees of a method under an order less that of another, with the interval."""
    frame = rows.of("tabfs-table")
    found = gaps(frame[frame["dataset"] == name], CLASSES)
    either = [
        found[(found["algorithm"] == algorithm) & (found["adversary"] == adversary)]
        for algorithm, adversary in (first, second)
    ]
    one, other = (each.groupby("repetition")[CLASSES].mean() for each in either)
    moved = (one - other).dropna().to_numpy()
    if len(moved) < 2:
        return MISSING
    return shown(interval(moved, float((either[0]["n_test"] / either[0]["n_train"]).mean())))


def pooled(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Pearson's correlation over all points of the loss with the sum, and with the mere share of absent columns."""
    if not tables:
        return {"sum": MISSING, "share": MISSING}
    whole = pd.concat(tables.values())
    return {
        "sum": f"{pearson(whole['absent-correlation'], whole['lost']):.2f}",
        "share": f"{pearson(whole['axis_value'].map(number_of), whole['lost']):.2f}",
    }


def splits(frames: Iterable[pd.DataFrame]) -> str:
    """How many splits methods have, in words: ``3 or 5``."""
    counts = [frame.groupby(["adversary", "algorithm"])["repetition"].nunique() for frame in frames]
    return " or ".join(map(str, sorted(set(pd.concat(counts)))))


def stumps(trials: pd.DataFrame) -> str:
    """How many stumps XGBoost has in trials, and at which rate, in words."""
    params = trials.loc[trials["algorithm"] == "xgboost", "params"]
    return " or ".join(dict.fromkeys(f"{each['n_estimators']:,} at rate {each['learning_rate']}" for each in params))


def numbers(rows: Rows) -> dict[str, str]:
    """What stands between braces in the template."""
    at_paper, ours = shifted(rows, True), shifted(rows, False)
    found = findings(rows)
    told = {
        "trials": f"{rows.count('paper'):,}",
        "quick_trials": f"{rows.count('quick'):,}",
        "effects": effect_lines(rows),
        **gap_tables(rows),
        "singles_paper": single_table(rows),
        "claims": claims_table(found),
        "kinds": kinds_table(rows),
        "stumps_tables": stumps(pd.concat([*at_paper.values(), *ours.values()])),
        "stumps_effects": stumps(pd.concat([rows.of("tabfs-shared-frames"), rows.of("tabfs-recoded")])),
        **{f"{name}_number": shown(each.found, 2) for name, each in found.items()},
        **{f"{name}_over": each.over for name, each in found.items()},
        "splits_ours": splits([*ours.values(), *single(rows, False).values()]),
    }
    for protocol, tables in (("paper", at_paper), ("ours", ours)):
        classes = {name: each for name, each in tables.items() if CLASSES in each and each[CLASSES].notna().any()}
        values = {name: each for name, each in tables.items() if name not in classes}
        for kind, some in (("classes", classes), ("values", values)):
            for which, text in pooled(some).items():
                told[f"{which}_{kind}_{protocol}"] = text
        hits, of = top_hurts_most(single(rows, protocol == "paper"))
        told[f"hits_{protocol}"], told[f"hits_of_{protocol}"] = str(hits), str(of)
        lost = [
            each.groupby(["algorithm", "repetition"])["lost"].mean().groupby("algorithm").mean()
            for each in tables.values()
        ]
        told[f"pairs_{protocol}"] = str(sum(len(each) for each in lost))
        told[f"limited_pairs_{protocol}"] = str(sum(int((each > LIMIT).sum()) for each in lost))
    for name in ("heart", "credit", "iris", "electricity"):
        told[f"order_{name}"] = difference(rows, name, ("lightgbm", "most"), ("lightgbm", "least"))
    for name in ("heart", "credit", "iris"):
        told[f"nan_{name}"] = difference(rows, name, ("lightgbm", "most"), ("lightgbm", "most-filled"))
        told[f"dropout_{name}"] = difference(rows, name, ("column-dropout", "most"), ("gradient-boosting", "most"))
    for name in ("heart", "credit"):
        told[f"closed_random_{name}"] = closed_open(rows, name)
    for adversary in ("all-rows", "per-row", "failing"):
        short, worst = adversary.replace("-", "_"), two_worst(rows, adversary)
        told[f"worst_{short}"], told[f"over_{short}"] = worst_table(worst), worst_over_tables(worst)
    for adversary, label in (("most", "most"), ("all-rows", "all"), ("per-row", "row")):
        two = two_worst(rows, adversary)
        cell = two[(two["dataset"] == "heart") & (two["algorithm"] == "lightgbm")]
        told[f"two_{label}_lightgbm"] = by_repetition(cell, lambda split: split[CLASSES].mean())
    return told


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(
        description="Write docs/reproduction/tabfsbench.md from published rows of the suites tabfs-*."
    )
    parser.add_argument("results", type=Path, help="folder of published results")
    page = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    told = numbers(Rows(parser.parse_args().results))
    PAGE.write_text(page.format_map(told), encoding="utf-8")


if __name__ == "__main__":
    main()
