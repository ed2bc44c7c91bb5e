"""``benchkit audit``."""
# ruff: noqa: B008 - typer reads options from defaults

from pathlib import Path

from typer import Argument, Exit, Option


def audit(
    model: str = Argument(..., metavar="MODEL", help="Fitted: .skops; .joblib or .pkl with --trust; or module:object."),
    holdout: Path = Argument(..., metavar="HOLDOUT", help="Rows that it was not trained on: .csv or .parquet."),
    target: str = Option(..., metavar="COLUMN", help="The column that the model predicts."),
    trust: bool = Option(False, "--trust", help="Read the model even if its file can execute any code."),
    metric: str | None = Option(None, metavar="NAME", help="What matters, by scikit-learn's name of a scorer."),
    positive: str | None = Option(None, metavar="LABEL", help="The label that the metric looks for."),
    threshold: float | None = Option(None, metavar="T", help="From this probability on that label is predicted."),
    cost: str = Option("", metavar="'missed: 100, false alarm: 1'", help="As a metric: what mistakes cost."),
    weights: str | None = Option(None, metavar="COLUMN", help="A column of weights: how much each row counts."),
    groups: str | None = Option(None, metavar="COLUMN", help="A column such as patient: its rows belong together."),
    sources: Path | None = Option(None, metavar="FILE", help="YAML: columns that are lost together, by name."),
    outages: Path | None = Option(None, metavar="FILE", help="YAML: how often each is missing; adds what that costs."),
    train: Path | None = Option(None, metavar="FILE", help="A training table: adds models trained for lost columns."),
    decimal: str | None = Option(None, metavar=".|,", help="Of a text file: the decimal separator."),
    na_values: str | None = Option(None, metavar="TEXT[,...]", help="Of a text file: more texts for missing values."),
    fill: str = Option("auto", metavar="auto|gap|mean|zero", help="What replaces a lost column."),
    fail_if: list[str] = Option([], metavar="'NAME > X'", help="Exit with 1 where the interval lies beyond it."),
    undecided: str = Option("pass", metavar="pass|fail", help="The result of --fail-if if it is undecided."),
    attacker: bool = Option(False, "--attacker", help="Also what it costs if each row loses its own worst columns."),
    details: bool = Option(False, "--details", help="Print every table."),
    seconds: float | None = Option(None, metavar="S", help="Skip the rest after so many seconds; default 120."),
    seed: int = Option(0, metavar="N", help="Seed of the random draws."),
    as_json: bool = Option(False, "--json", help="As JSON, for other programs."),
    outputs: list[Path] = Option(
        [], "-o", "--output", metavar="FILE", help="Write the report, or several: .html, .md, .json, .tex or .txt."
    ),
) -> None:
    """Tell how robust a fitted model is, and which column hurts; exit code 1 if --fail-if holds or is not measured."""
    from dataclasses import replace
    from typing import Any, cast

    from benchkit import RequestError, json_answer, write_whole
    from benchkit.document.terminal import Console, show
    from benchkit_audit.audit import audit as run_audit
    from benchkit_audit.metrics import read_cost
    from benchkit_audit.model import read_model
    from benchkit_audit.report import read_condition
    from benchkit_audit.subject import read_holdout, read_mapping, split_column

    if undecided not in ("pass", "fail"):
        raise RequestError(f"--undecided {undecided}: expected pass or fail")
    forms = {".html": "to_html", ".json": "to_json", ".md": "to_markdown", ".tex": "to_latex", ".txt": "to_text"}
    for output in outputs:
        if output.suffix.lower() not in forms:
            raise RequestError(f"{output}: expected a name that ends with {', '.join(forms)}")
        if not output.absolute().parent.is_dir():
            raise RequestError(f"{output}: there is no folder {output.parent}")
    if cost:
        read_cost(cost)
    for condition in fail_if:
        read_condition(condition)
    missing = None if na_values is None else na_values.split(",")
    fitted, notes = read_model(model, trust)
    X, y = read_holdout(holdout, target, fitted, decimal, missing)
    training = None if train is None else read_holdout(train, target, fitted, decimal, missing)
    beside = {}
    for name, column in (("weights", weights), ("groups", groups)):
        if column is not None:
            X, beside[name] = split_column(X, column, f"--{name}", fitted)
    console = Console(stderr=True)
    with console.status("audit") as status:
        report = run_audit(
            fitted,
            X,
            y,
            sources=None if sources is None else read_mapping(sources),
            outages=None if outages is None else read_mapping(outages),
            train=training,
            fill=cast(Any, fill),
            metric=metric,
            positive=positive,
            threshold=threshold,
            cost=cost,
            attacker=attacker,
            seconds=seconds,
            seed=seed,
            title=f"Audit of {Path(model).name} on {holdout.name}",
            progress=status.update,
            **beside,
        )
    report = replace(report, conditions=tuple(fail_if), undecided=undecided)
    report.outcome.notes[:0] = notes
    for output in outputs:
        try:
            write_whole(output, getattr(report, forms[output.suffix.lower()])())
        except OSError as error:
            raise RequestError(f"{output}: cannot be written: {error.strerror}") from None
    if as_json:
        summary = report.to_dict()
        rows, notes = summary.pop("findings"), summary.pop("notes")
        print(json_answer("audit", rows, summary, notes))
    else:
        screen = Console(highlight=False)
        screen.print(report.title, style="bold", soft_wrap=True)
        show(report.document(details), screen)
        if not details:
            screen.print("--details prints every table, -o audit.html writes the page", style="dim")
        if outputs:
            screen.print(f"written to {', '.join(map(str, outputs))}", soft_wrap=True)
    verdicts = report.judge(*report.conditions)
    for verdict in verdicts:
        text, style = f"fail if {verdict.text}", "bold red" if verdict.failed else ""
        console.print(text, highlight=False, soft_wrap=True, style=style)
    if any(each.failed for each in verdicts):
        raise Exit(1)
