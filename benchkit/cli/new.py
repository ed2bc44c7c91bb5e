"""``benchkit new plugin`` and ``benchkit new suite``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import print_blocks, print_table
from benchkit.scaffold.write import KINDS

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command("suite")
def suite(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table: CSV or Parquet.")],
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="The column to predict.")],
    positive: Annotated[
        str | None, typer.Option("--positive", metavar="CLASS", help="Of two classes, the positive one.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task", metavar="classification|regression", help="What is predicted (default: decided by the column)."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups", metavar="COLUMN", help="A column: rows with the same value stay in one part of a split."
        ),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option("--decimal", metavar=".|,", help="Of a text file: the decimal separator.")
    ] = None,
    na_values: Annotated[
        str | None,
        typer.Option(
            "--na-values",
            metavar="TEXT[,...]",
            help="Of a text file: texts that mean a missing value, besides empty fields.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.yaml", help="The suite (default: named after the table).")
    ] = None,
) -> None:
    """Look at a table, and write a commented suite for it that runs as it is."""
    from benchkit.document import Text
    from benchkit.scaffold.suite import write_suite

    given = {"decimal": decimal, "na_values": None if na_values is None else na_values.split(",")}
    reading = {name: value for name, value in given.items() if value is not None}
    made = write_suite(file, target, out, positive, task, reading, groups)
    table, features = made.table, made.table.features.shape[1]
    columns = f"{features} column{'' if features == 1 else 's'}"
    print(f"{made.path}\n")
    print_blocks(Text(f"{len(table.frame)} rows, {columns} to predict by. {table.target_in_words}"))
    if table.facts:
        facts = [(fact.where, fact.what, fact.done) for fact in table.facts]
        print_table("", ("where", "what is seen", "what the suite does"), facts)
    print(f"\nNext: benchkit plan {made.path} && benchkit run {made.path} --profile quick")


@app.command("plugin")
def plugin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case words joined by hyphens.")],
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="|".join(KINDS), help="What its example is.", autocompletion=complete.new_kinds),
    ] = "algorithm",
    folder: Annotated[Path, typer.Option("--in", metavar="DIR", help="Where to make its folder.")] = Path(),
) -> None:
    """Write a package that installs, passes its own tests, and is ready to be edited."""
    from benchkit.scaffold.write import write_plugin

    made = folder / name
    for path in write_plugin(name, kind, folder):
        print(path)
    print(f'\nNext: pip install -e "{made}[test]" && pytest {made} && benchkit check {name}')
