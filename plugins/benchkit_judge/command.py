"""``benchkit judge``."""

import math
from pathlib import Path
from typing import Annotated

import typer

from benchkit import TableError, json_answer, print_error, write_whole

_FORMATS = "table|lm-eval|inspect_ai|amlb|tabarena|benchopt|cv_results_"
_FORMS = "text|markdown|latex|json|html"
_ENDINGS = {".html": "html", ".md": "markdown", ".tex": "latex", ".json": "json", ".txt": "text"}


def judge(
    tables: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TABLE [TABLE...]", help="A table (csv, parquet, JSON lines, md, html, xlsx), or result files."
        ),
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the methods.")] = None,
    task: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the tasks.")] = None,
    item: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the items of a task.")] = None,
    seed: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of seeds, folds, repetitions.")] = None,
    score: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the scores.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of what items belong to.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="item|task|seed", help="What is drawn by chance.")] = None,
    by: Annotated[str, typer.Option(metavar="mean|ranks|wilcoxon", help="What of the scores is compared.")] = "mean",
    against: Annotated[str | None, typer.Option(metavar="METHOD", help="Compare others with it alone.")] = None,
    wide: Annotated[
        bool | None, typer.Option("--wide/--long", help="A column per method or task, or a row per score.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="COLUMN[,...]", help="Scores of a wide table: 'split*'.")
    ] = None,
    drop: Annotated[str | None, typer.Option(metavar="COLUMN[,...]", help="Columns to leave out: 'param_*'.")] = None,
    higher_is_better: Annotated[
        bool | None, typer.Option("--higher-is-better/--lower-is-better", help="Which scores are better.")
    ] = None,
    within: Annotated[float | None, typer.Option(metavar="X", help="Differences that count as none.")] = None,
    level: Annotated[float, typer.Option(metavar="X", help="Confidence, of all statements together.")] = 0.95,
    test_share: Annotated[float | None, typer.Option(metavar="X", help="Share of rows that a split tests.")] = None,
    format: Annotated[str | None, typer.Option(metavar=_FORMATS, help="What wrote the files.")] = None,
    decimal: Annotated[str | None, typer.Option(metavar=".|,", help="What separates decimals.")] = None,
    na_values: Annotated[str | None, typer.Option(metavar="TEXT[,...]", help="What is missing in text files.")] = None,
    plan: Annotated[
        float | None,
        typer.Option(metavar="ITEMS|X", help="Before data: the difference so many items show; items for one below 1."),
    ] = None,
    form: Annotated[str | None, typer.Option("--as", metavar=_FORMS, help="How to print; else by --output.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for other programs.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write there: .html, .md, .tex, .json, .txt.")
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Exit with 1 where 'A not better than B' holds; repeats."),
    ] = None,
) -> None:
    """Judge a table of scores: which methods can be told apart, their possible ranks, what would decide the rest."""
    options = dict(locals())
    from benchkit.document.terminal import Console, show
    from benchkit.document.text import printable
    from benchkit_judge.document import document, facts, plan_document, planned
    from benchkit_judge.judge import check_level, holds, judge_table

    if (tables is None) == (plan is None):
        raise TableError("give one of the two: a table or result files, or --plan=500 (or 0.02) before there are any")
    if plan is not None:
        if not 0 < plan < math.inf:
            raise TableError(f"--plan={plan:g}: expected how many items, such as 500, or a difference, such as 0.02")
        check_level(level)
        for flag, given in (("--output", output), ("--as", form), ("--fail-if", fail_if)):
            if given:
                raise TableError(f"{flag} is for a table, and --plan has none: leave it out")
        if as_json:
            print(json_answer("judge", planned(plan, level), {"plan": plan, "level": level}, []))
        else:
            show(plan_document(plan, level), Console(highlight=False))
        return
    judged = judge_table(tables, options)
    outcomes = [(condition, *holds(judged, condition)) for condition in fail_if or ()]
    if output is not None:
        if form is None and output.suffix not in _ENDINGS:
            raise TableError(f"{output}: which form? end it in {', '.join(_ENDINGS)}, or say --as")
        try:
            write_whole(output, judged.write(form or _ENDINGS[output.suffix]))
        except OSError as error:
            raise TableError(f"{output}: cannot write: {error.strerror or error}") from None
    if as_json:  # the pairs as rows, the rest beside them
        answer = facts(judged)
        print(json_answer("judge", answer.pop("pairs"), answer, answer.pop("notes")))
    elif output is not None:
        print(printable("\n".join(judged.answers)))
    elif form not in (None, "text"):
        print(printable(judged.write(str(form)).rstrip("\n")))  # labels of a table steer no terminal
    else:
        show(document(judged, pairs=12), Console(highlight=False))
    for condition, held, sentence in outcomes:
        if held:
            print_error(f"{sentence}: {condition!r} holds")
    if any(held for _, held, _ in outcomes):
        raise typer.Exit(1)
