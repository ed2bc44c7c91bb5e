"""``benchkit audit``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import json_answer

if TYPE_CHECKING:
    from benchkit import Tracker
    from benchkit_audit.measure import Progress
    from benchkit_audit.report import AuditReport

FORMATS = ("text", "markdown", "html", "json")


def audit(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A fitted model: .skops; .joblib or .pkl with --trust; or module:object."),
    ],
    holdout: Annotated[
        Path, typer.Argument(metavar="HOLDOUT", help="Rows that it was not trained on: .csv or .parquet.")
    ],
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="The column that the model predicts.")],
    trust: Annotated[
        bool, typer.Option("--trust", help="Read the model though that can execute whatever its file says.")
    ] = False,
    sources: Annotated[
        Path | None,
        typer.Option("--sources", metavar="FILE", help="YAML: columns that are lost together, by name."),
    ] = None,
    outages: Annotated[
        Path | None,
        typer.Option("--outages", metavar="FILE", help="YAML: how often each is out: what does that cost on average?"),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train", metavar="FILE", help="A training table: what would models trained for lost columns do?"
        ),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option("--decimal", metavar=".|,", help="Of a text file, what separates decimals.")
    ] = None,
    na_values: Annotated[
        str | None,
        typer.Option("--na-values", metavar="TEXT[,...]", help="Of a text file, what is missing besides empty fields."),
    ] = None,
    fill: Annotated[
        str, typer.Option("--fill", metavar="auto|gap|mean|zero", help="What a lost column becomes.")
    ] = "auto",
    task: Annotated[
        str | None, typer.Option("--task", metavar="classification|regression", help="Where the model does not say.")
    ] = None,
    loss: Annotated[str, typer.Option("--loss", metavar="absolute|squared", help="Of a regression.")] = "absolute",
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="'NAME > X'",
            help="Exit with 1 where the interval says so, e.g. 'column-loss > 0.05', or no number is there.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="A finding to leave out, such as BK011.")
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough/--fast", help="All rows and longer searches; fast takes a minute at most.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Skip what is open after so many (fast: 60).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the draws of rows and columns.")] = 0,
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How to print it.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for other programs.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="A folder that takes the page and the numbers.",
        ),
    ] = None,
    tracker: Annotated[
        list[str] | None,
        typer.Option("--tracker", metavar="NAME", help="Log its numbers there, too, such as mlflow; with --out."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Into a file; its suffix says the format.")
    ] = None,
) -> None:
    """Tell how robust a fitted model is, and which column hurts; exit code 1 if --fail-if holds or is not measured."""
    from dataclasses import replace
    from typing import Any, cast

    from benchkit import RequestError
    from benchkit.fitted.read import read_model
    from benchkit_audit.audit import audit as run_audit
    from benchkit_audit.inputs import read_holdout, read_outages, read_sources
    from benchkit_audit.report import read_condition

    if as_json and form != "text":
        raise RequestError(f"--json and --format {form} contradict each other: leave out one")
    written = "answer" if as_json else _format_of(form, output)
    trackers = _trackers(tracker, out)
    for condition in fail_if or ():
        read_condition(condition)
    if output is not None and not output.absolute().parent.is_dir():
        raise RequestError(f"{output}: there is no folder {output.parent}")
    groups = None if sources is None else read_sources(sources)
    rates = None if outages is None else read_outages(outages)
    missing = None if na_values is None else na_values.split(",")
    X, y = read_holdout(holdout, target, decimal, missing)
    training = None if train is None else read_holdout(train, target, decimal, missing)
    stored = read_model(model, trust)
    with _shown() as progress:
        report = run_audit(
            stored.model,
            X,
            y,
            sources=groups,
            outages=rates,
            train=training,
            fill=cast(Any, fill),
            task=cast(Any, task),
            loss=cast(Any, loss),
            thorough=thorough,
            seconds=seconds,
            ignore=ignore or (),
            seed=seed,
            title=f"Audit of {Path(model).name} on {holdout.name}",
            stored_by=stored.version,
            out=out,
            progress=progress,
        )
    report = replace(report, conditions=tuple(fail_if or ()))
    _write(report, written, output)
    logged = [_track(each, report, cast(Path, out)) for each in trackers]
    judged = report.judge(*report.conditions)
    from benchkit.document.terminal import Console

    console = Console(stderr=True)
    for each in judged:
        console.print(f"fail if {each}", highlight=False, soft_wrap=True, style="bold red" if each.failed else "")
    if any(each.failed for each in judged) or not all(logged):
        raise typer.Exit(1)


def _trackers(names: Sequence[str] | None, out: Path | None) -> list[Tracker]:
    """Those that are named, each of which takes audits."""
    from benchkit import RequestError, registry

    if names and out is None:
        raise RequestError("--tracker logs what --out keeps: give --out DIR, too")
    chosen = [registry().trackers[name] for name in dict.fromkeys(names or ())]
    for each in chosen:
        if each.audited is None:
            raise RequestError(f"--tracker {each.name}: it takes runs of suites, and no audits")
    return chosen


def _track(tracker: Tracker, report: AuditReport, out: Path) -> bool:
    """Log an audit beside the runs of the folder that its own lies in; False where that failed, which stops nothing."""
    from benchkit import one_line, print_error

    try:
        tracker.audited(folder=out.absolute(), title=report.title, measures=report.measures, warn=print_error)
    except (Exception, SystemExit) as error:  # it is a plugin's code
        print_error(f"tracker {tracker.name!r}: {one_line(error)}")
        return False
    return True


def _format_of(form: str, output: Path | None) -> str:
    """The format that was asked for; that of the file's suffix where none was."""
    from benchkit import RequestError

    if form not in FORMATS:
        raise RequestError(f"--format {form}: expected one of {', '.join(FORMATS)}")
    if form == "text" and output is not None:
        return {".html": "html", ".json": "json", ".md": "markdown"}.get(output.suffix.lower(), "text")
    return form


def _write(report: AuditReport, form: str, output: Path | None) -> None:
    """Print it, or write it into a file; ``answer`` is that of ``--json``."""
    from benchkit import RequestError, write_whole

    made: dict[str, Callable[[], str]] = {
        "markdown": report.to_markdown,
        "html": report.to_html,
        "json": report.to_json,
        "text": report.to_text,
        "answer": lambda: _answer(report),
    }
    if output is not None:
        try:
            write_whole(output, made[form]())
        except OSError as error:
            raise RequestError(f"{output}: cannot be written: {error.strerror}") from None
        print(report.paragraph)
        print(f"written to {output}")
    elif form == "text":
        from benchkit.document.terminal import Console, show

        console = Console(highlight=False)
        console.print(report.title, style="bold", markup=False, soft_wrap=True)
        show(report.document(), console)
    else:
        print(made[form]())


def _answer(report: AuditReport) -> str:
    """The findings as rows, the rest beside them."""
    summary = report.to_dict()
    rows, notes = summary.pop("findings"), summary.pop("notes")
    return json_answer("audit", rows, summary, notes)


@contextmanager
def _shown() -> Iterator[Progress]:
    """The part at work, on a terminal alone."""
    from benchkit.document.terminal import Console

    with Console(stderr=True).status("audit") as status:
        yield status.update
