"""``benchkit new plugin`` and ``benchkit new suite``."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.console import command, print_blocks, print_table
from benchkit.cli.interface.options import argument, flag, option
from benchkit.scaffold.write import KINDS

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command("suite")
def suite(
    file: Annotated[Path, argument("FILE", "A table: csv, Parquet, or another that suites read.")],
    target: Annotated[str, option("--target", "COLUMN", "The column to predict.")],
    positive: Annotated[str | None, option("--positive", "CLASS", "Of two classes, the positive one.")] = None,
    task: Annotated[
        str | None, option("--task", "classification|regression", "What is predicted (default: decided by the column).")
    ] = None,
    groups: Annotated[
        str | None, option("--groups", "COLUMN", "A column: rows with the same value stay in one part of a split.")
    ] = None,
    no_groups: Annotated[
        bool, flag("--no-groups", "Split rows at random, although a column may say whose rows they are.")
    ] = False,
    decimal: Annotated[str | None, option("--decimal", ".|,", "Of a text file: the decimal separator.")] = None,
    na_values: Annotated[
        list[str] | None, option("--na-values", "TEXT[,...]", "Of a text file: texts that mean a missing value.")
    ] = None,
    out: Annotated[
        Path | None, option("-o --output --out", "FILE.yaml", "The suite (default: named after the table).")
    ] = None,
) -> None:
    """Look at a table, and write a commented suite for it that runs as it is."""
    from benchkit.document import Text
    from benchkit.scaffold.suite import write_suite

    texts = [text for option_value in na_values or () for text in option_value.split(",")]
    reading = {**({"decimal": decimal} if decimal else {}), **({"na_values": texts} if texts else {})}
    path, table = write_suite(file, target, out, positive, task, reading, groups, no_groups)
    features = table.features.shape[1]
    columns = f"{features} column{'' if features == 1 else 's'}"
    print(f"{path}\n")
    print_blocks(Text(f"{len(table.frame)} rows, {columns} to predict by. {table.target_in_words}"))
    if table.facts:
        facts = [(fact.where, fact.what, fact.done) for fact in table.facts]
        print_table("", ("where", "what is seen", "what the suite does"), facts)
    print(f"\nNext: {command('plan', path)} && {command('run', path, '--profile', 'quick')}")


@app.command("plugin")
def plugin(
    name: Annotated[str, argument("NAME", "Lower-case words joined by hyphens.")],
    kind: Annotated[str, option("--kind", "|".join(KINDS), "What its example is.")] = "algorithm",
    folder: Annotated[Path, option("--in", "DIR", "Where to make its folder.")] = Path(),
) -> None:
    """Write a package that installs, passes its own tests, and is ready to be edited."""
    from benchkit.scaffold.write import write_plugin

    made = folder / name
    for path in write_plugin(name, kind, folder):
        print(path)
    print(f'\nNext: pip install -e "{made}[test]" && {shlex.join(["pytest", str(made)])} && {command("check", name)}')
