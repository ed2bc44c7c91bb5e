"""The answer in plain sentences, per adversary: which method to use, how sure that is, and what none can do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import shorten

from benchkit.document.text import number, percent
from benchkit.report.grid import Grid
from benchkit.report.points import TRIVIAL_METHODS, trivial_of
from benchkit.report.standings import Lead
from benchkit.statistics.estimate import LEVEL
from benchkit.statistics.sampling import ROWS, SCOPE_NAMES, Scope

_NAMED = 4
_LONGEST_REASON = 110


def answers(leads: Iterable[Lead], scope: Scope) -> list[str]:
    """A few sentences per adversary and metric.

    Parameters
    ----------
    leads : iterable of Lead
    scope : {"rows", "splits"}
    """
    together: dict[tuple[str, str], list[Lead]] = {}
    for leading in leads:
        together.setdefault((leading.grid.adversary, leading.grid.metric), []).append(leading)
    return [_of_one(own[0], scope) if len(own) == 1 else _of_several(own) for own in together.values()]


def in_numbers(leads: Iterable[Lead], scope: Scope) -> list[str]:
    """What the answers rest on: the best method's mean, and by how much it is better than the next."""
    return [_numbers(leading, scope) for leading in leads]


def _of_one(leading: Lead, scope: Scope) -> str:
    grid, best, bar = leading.grid, leading.best, leading.bar
    under = _situation(grid, f" on {grid.name}") if grid.adversary != "none" else f"On {grid.name}"
    if bar and leading.best_is_no_better:
        whose = f", which {_is(grid, leading.bar_mean)}" if grid.share else f", whose {_is(grid, leading.bar_mean)}"
        return _joined(
            [f"{under}, no method beats {bar.words}{whose}.", _where_it_is_beaten(grid), *_left_out([leading])]
        )
    if bar and bar.name in leading.as_good and leading.ahead.enough:
        both = (
            f"{best} {_is(grid, leading.mean)}, {bar.name} {grid.share.split()[-1]} {percent(leading.bar_mean)}"
            if grid.share
            else f"the {_is(grid, leading.mean)} for {best}, {number(leading.bar_mean)} for {bar.name}"
        )
        first = f"{under}, no method is sure to beat {bar.words}: {both}."
        return _joined([first, _helps(leading), *_left_out([leading])])
    first = f"{under}, use {best}: {'it' if grid.share else 'its'} {_is(grid, leading.mean)}."
    if tied := _tied(leading):
        which = "each" if grid.share else "the"
        told = f"{which} {_is(grid, leading.mean)}, the same in every repetition"
        first = f"{under}, use {' or '.join([best, *tied])}: {told}."
    return _joined([first, _how_sure(leading, scope), _where_nothing_helps(leading), *_left_out([leading])])


def _situation(grid: Grid, where: str = "") -> str:
    """``If features go at random (random-delete on patients)``; undeclared, ``Under random-delete on patients``."""
    return f"{grid.situation} ({grid.adversary}{where})" if grid.situation else f"Under {grid.adversary}{where}"


def _is(grid: Grid, value: float) -> str:
    """``is wrong on 19.9% of the rows``, of a share; of another metric ``roc_auc is 0.9``; if need be on average."""
    several = len(grid.columns) > 1
    if grid.share:
        return f"is {grid.share} {percent(value)} of the rows{f' on average{_over(grid)}' if several else ''}"
    return f"{f'{_mean_of(grid.metric)}{_over(grid)}' if several else grid.metric} is {number(value)}"


def _mean_of(metric: str) -> str:
    """``mean error``, and of a metric that is a mean itself ``average mean-absolute-error``."""
    return f"{'average' if metric.startswith('mean') else 'mean'} {metric}"


def _tied(leading: Lead) -> list[str]:
    """Methods whose every value is that of the best."""
    best = leading.grid.rows[leading.best]
    others = {name: leading.grid.rows[name] for name in leading.as_good if name not in TRIVIAL_METHODS}
    return [
        name
        for name, points in others.items()
        if points.keys() == best.keys() and all(points[place].values == best[place].values for place in best)
    ]


def _over(grid: Grid) -> str:
    """``over 0 to 5 features deleted``."""
    if all(isinstance(value, int | float) for value in grid.columns):
        return f" over {grid.at(f'{grid.headings[0]} to {grid.headings[-1]}')}"
    return f" over the {grid.axis_title}s"


def _how_sure(leading: Lead, scope: Scope) -> str:
    """Who is as good, as far as the data tells, or that nobody is."""
    gain = leading.ahead
    if not gain.enough:
        few = _too_few(gain.n)
        return f"{few[0].upper()}{few[1:]} to say whether another is as good."
    if leading.decided:
        return f"Every other method is worse, {_where(scope)}: {leading.second}, the next, by {_apart(leading)}."
    tied = _tied(leading)
    others = [name for name in leading.as_good if name not in TRIVIAL_METHODS and name not in tied]
    unsteady = [name for name in others if name in leading.unsteady]
    steady = [name for name in others if name not in unsteady]
    told = []
    if steady:
        are = "is" if len(steady) == 1 else "are"
        told.append(f"{_listed(steady)} {are} as good, as far as {_data(leading, scope)} can tell")
    if unsteady:
        does = "does" if len(unsteady) == 1 else "do"
        told.append(f"{_listed(unsteady)} {does} worse on average, by amounts that vary too much to be sure")
    if told and (helps := _helps(leading).rstrip(".")):
        told[0] += f"; {helps[0].lower()}{helps[1:]}"
    if worse := [name for name in leading.worse if name not in TRIVIAL_METHODS]:
        told.append(f"{_all_of(worse)} {'is' if len(worse) == 1 else 'are'} worse, {_where(scope)}")
    return _joined(f"{each}." for each in told)


def _where(scope: Scope) -> str:
    return "on new rows too" if scope == ROWS else "on these rows"


def _apart(leading: Lead) -> str:
    """By how much the best is better than the next."""
    gain = leading.ahead.mean
    return f"{percent(gain).rstrip('%')} percentage points" if leading.grid.share else number(gain)


def _data(leading: Lead, scope: Scope) -> str:
    """``these 600 rows``, or those of them that were tested, where they are what limits it; else the repetitions."""
    repetitions = leading.ahead.n / leading.ahead.sample.per_repetition
    tested = leading.tested
    if scope == ROWS and tested is not None:
        if tested.count >= tested.whole:
            return f"these {tested.whole:,} {tested.unit}"
        about = "" if tested.exact else "about "
        return f"the tested {tested.unit} ({about}{tested.count:,} of {tested.whole:,})"
    return f"{repetitions:.0f} repetitions"


def _helps(leading: Lead) -> str:
    """That no number of repetitions would decide it, where that is known."""
    return "Repeating will not help, more rows would." if leading.out_of_reach else ""


def _where_nothing_helps(leading: Lead) -> str:
    """From which point of the axis on no method, or hardly any, is better than one that looks at no feature."""
    grid = leading.grid
    if leading.bar is None or len(grid.columns) < 2:
        return ""
    better = [_better_at(grid, value) for value in grid.columns]
    words = leading.bar.words
    if not better[-1]:
        since = _since([not here for here in better])
        return f"{_from(grid, since)} no method is better than {words}."
    others = [name for name in grid.rows if name not in TRIVIAL_METHODS and name not in leading.left_out]
    worse = [name for name in others if name not in better[-1]]
    if len(worse) > len(better[-1]):
        since = _since([set(here) == set(better[-1]) for here in better])
        are = "is" if len(better[-1]) == 1 else "are"
        return f"{_from(grid, since)} only {_listed(better[-1])} {are} better than {words}."
    by_place: dict[int, list[str]] = {}
    for name in worse:
        by_place.setdefault(_since([name not in here for here in better]), []).append(name)
    never = by_place.pop(0, [])
    told = [
        f"{_from(grid, since)} {_listed(names)} {'is' if len(names) == 1 else 'are'} no better than {words}."
        for since, names in sorted(by_place.items())
    ]
    if never:
        told.append(f"{_listed(never)} {'is' if len(never) == 1 else 'are'} nowhere better than {words}.")
    return _joined(told)


def _since(holds: Sequence[bool]) -> int:
    """The first place from which on something holds, which does at the end."""
    return next(place for place in range(len(holds)) if all(holds[place:]))


def _from(grid: Grid, since: int) -> str:
    """``From 2 features deleted on,``, or ``At 5 features deleted,`` of the last place alone."""
    if since == len(grid.columns) - 1:
        return f"At {grid.at(grid.headings[since])},"
    return f"From {grid.at(grid.headings[since])} on,"


def _where_it_is_beaten(grid: Grid) -> str:
    """Where on the axis a method is better than one that looks at no feature, though over all of it none is."""
    better = {heading: _better_at(grid, value) for heading, value in zip(grid.headings, grid.columns, strict=True)}
    places = [heading for heading in grid.headings if better[heading]]
    if not places or len(grid.columns) < 2:
        return ""
    names = list(dict.fromkeys(better[heading][0] for heading in places))
    are = "is" if len(names) == 1 else "are"
    beside = places == grid.headings[grid.headings.index(places[0]) :][: len(places)]
    where = f"{places[0]} to {places[-1]}" if beside and len(places) > 1 else ", ".join(places)
    return f"At {grid.at(where)}, {_listed(names)} {are} better."


def _better_at(grid: Grid, value: object) -> list[str]:
    """The methods that pass the bar at a place, the best first."""
    sign = -1.0 if grid.greater_is_better else 1.0
    here = sorted(grid.column(value), key=lambda point: math.inf if point.mean is None else sign * point.mean)
    bar = trivial_of(here)
    if bar is None:
        return [point.algorithm for point in here]
    return [
        point.algorithm
        for point in here
        if point.algorithm not in TRIVIAL_METHODS and bar.is_passed_by(point, grid.greater_is_better)
    ]


def _of_several(leads: Sequence[Lead]) -> str:
    """How many data sets each method leads on, and on how many that is more than chance."""
    grid = leads[0].grid
    under = "" if grid.adversary == "none" else f"{_situation(grid)}, "
    best = "highest" if grid.greater_is_better else "lowest"
    mean = f"{best} {_mean_of(grid.metric)}" if len(grid.columns) > 1 else f"{best} {grid.metric}"
    by_best: dict[str, list[Lead]] = {}
    nobody = [each for each in leads if each.bar and each.best_is_no_better]
    for each in leads:
        if each not in nobody:
            by_best.setdefault(each.best, []).append(each)
    ordered = sorted(by_best.items(), key=lambda item: -len(item[1]))
    told = [f"{name} on {len(own)}{_names(own)}" for name, own in ordered]
    if ordered:
        name, own = ordered[0]
        told[0] = f"{name} has the {mean} on {len(own)} of {len(leads)} data sets{_names(own)}"
    sentences = []
    if told:
        decided = [each.grid.name for each in leads if each.decided and each not in nobody]
        of = len(leads) - len(nobody)
        # It may begin with a method's name, which keeps its case.
        sentences.append(f"{under}{', '.join(told)}; {_on_how_many(decided, of)}.")
        led = [each for each in leads if each not in nobody]
        worse = [
            name for name in led[0].worse if name not in TRIVIAL_METHODS and all(name in each.worse for each in led)
        ]
        if worse and len(decided) < of:
            on = "there" if of == 1 else "on both" if of == 2 else "on all"
            sentences.append(f"{_all_of(worse)} {'is' if len(worse) == 1 else 'are'} decided to be worse {on}.")
    if nobody:
        start = under if not sentences else ""
        on = f"on {len(nobody)} of {len(leads)} data sets{_names(nobody)}"
        text = f"{start}{on} no method beats {nobody[0].bar.words if nobody[0].bar else ''}."
        sentences.append(text[0].upper() + text[1:])
    return _joined([*sentences, *_left_out(leads)])


def _on_how_many(decided: Sequence[str], of: int) -> str:
    """On which data sets, by name where it is not all of them."""
    if len(decided) == of:
        where = "there" if of == 1 else "on both" if of == 2 else "on all"
        return f"{where} the lead is larger than chance"
    if not decided:
        if of == 1:
            return "there the lead may be chance"
        return f"on {'neither' if of == 2 else 'none'} is the lead larger than chance"
    return f"on {_all_of(decided)} the lead is larger than chance"


def _names(leads: Sequence[Lead]) -> str:
    return f" ({', '.join(each.grid.name for each in leads)})" if len(leads) < _NAMED else ""


def _left_out(leads: Sequence[Lead]) -> list[str]:
    """Who takes no part, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for each in leads:
        for name, why in each.left_out.items():
            reasons.setdefault((name, why), []).append(each.grid.name)
    who: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (name, why), places in reasons.items():
        who.setdefault((why, tuple(places)), []).append(name)
    told = []
    for (why, on), names in who.items():
        where = "" if len(leads) == 1 else f" on {_listed(on)}"
        out = f"is left out{where}:" if len(names) == 1 else f"are left out{where}, each because"
        told.append(f"{_listed(names)} {out} {shorten(why, _LONGEST_REASON, placeholder=' ...')}.")
    return told


def _numbers(leading: Lead, scope: Scope) -> str:
    gain, where, grid = leading.ahead, SCOPE_NAMES[scope], leading.grid
    low, high = gain.interval(LEVEL, grid.limits_of_differences)
    ends = f" [{number(low)}, {number(high)}]" if math.isfinite(gain.stderr) else ""
    over = f" over the {grid.axis}" if len(grid.columns) > 1 else ""
    text = f"{grid.panel}: {leading.best}, {_mean_of(grid.metric)}{over} {number(leading.mean)}, "
    if leading.second in _tied(leading):
        return f"{text}the same as {leading.second} in every repetition"
    text += f"{number(gain.mean)}{ends} better than {leading.second}"
    if leading.decided:
        return f"{text}; decided {where}"
    if not gain.enough:
        return f"{text}; {_too_few(gain.n)} to decide it"
    helps = _helps(leading).rstrip(".")
    # Better than the next, which may vary less than those behind it.
    against = "" if leading.second in leading.as_good else f" against {_listed(leading.as_good)}"
    return f"{text}; not decided {where}{against}" + (f": {helps[0].lower()}{helps[1:]}" if helps else "")


def _too_few(repetitions: int) -> str:
    return "one repetition is too few" if repetitions == 1 else f"{repetitions} repetitions are too few"


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(filter(None, sentences))


def _listed(names: Sequence[str]) -> str:
    """``a, b and c``; of many the first."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return _all_of(names)


def _all_of(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
