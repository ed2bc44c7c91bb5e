"""``benchkit plan``."""

from __future__ import annotations

from benchkit.cli.errors import print_error
from benchkit.cli.options import (
    OUT,
    AddOption,
    OnlyOption,
    OutOption,
    PluginOption,
    ProfileOption,
    SetOption,
    SuiteArgument,
    parse_only,
    parse_settings,
)


def plan(
    suite: SuiteArgument,
    profile: ProfileOption = None,
    out: OutOption = OUT,
    only: OnlyOption = None,
    settings: SetOption = None,
    plugin: PluginOption = None,
    add: AddOption = None,
) -> None:
    """Say what would run, what is reused, and how long it may take; run nothing."""
    from rich.console import Console
    from rich.table import Table

    from benchkit.conduct import plan as make_plan
    from benchkit.report.forecast import forecast

    planned = make_plan(
        suite,
        profile=profile,
        out=out,
        only=parse_only(only),
        settings=parse_settings(settings),
        plugins=[str(path) for path in plugin or []],
        add=add or [],
    )
    for problem in planned.registry.problems:
        print_error(f"warning: {problem}")
    console = Console()
    table = Table(title=planned.loaded.suite.title or suite, title_justify="left", title_style="bold")
    for name in ("dataset", "algorithm", "adversary"):
        table.add_column(name)
    for name in ("trials", "reused"):
        table.add_column(name, justify="right")
    counts: dict[tuple[str, str, str], list[int]] = {}
    for trial_id, trial in planned.trials.items():
        fields = trial.fields
        count = counts.setdefault((fields["dataset"], fields["algorithm"], fields["adversary"]), [0, 0])
        count[0] += 1
        count[1] += trial_id in planned.reused
    for names, (total, reused) in counts.items():
        table.add_row(*names, str(total), str(reused))
    console.print(table)
    left = [trial.fields for _, trial in planned.left]
    console.print(f"{len(planned.trials)} trials, {len(planned.reused)} reused, {len(left)} to run", highlight=False)
    expected = forecast(left, planned.store.read().values())
    if expected is not None and left:
        console.print(f"about {expected:.0f} s of one worker, from the trials done so far", highlight=False)
