"""Where the reader's own methods stand beside the best other one, and beside each: in sentences and in tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchkit.document.text import number
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.answers import (
    FEW_NAMED,
    MARK,
    OWN,
    all_named,
    amount_of,
    effort,
    explained_once,
    gain_in_parts,
    holds_since,
    how_better,
    how_rough,
    in_one_form,
    joined,
    listed,
    mean_of,
    named,
    needed,
    remedy_in_words,
    trivial_named,
)
from benchkit.report.standings import Standings
from benchkit.statistics.estimate import Estimate, surely
from benchkit.statistics.sampling import SCOPE_NAMES

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis

# What became of an own method somewhere, the best first; and the same in short.
_AHEAD, _LEVEL = "is significantly better than the best other method", "has the same mean as the best other method"
_EQUAL = "is as good as the best other method, within the margin of"
_WORSE = "is significantly worse than the best other method"
_FIRST_SO_FAR = "leads so far (no test: too few repetitions, or rows without values)"
_SO_FAR = "is behind the best other method so far (no test: too few repetitions, or rows without values)"
_BROKEN = "breaks down"
_OPEN = "not decided"
_OUTCOMES = {
    _AHEAD: "better",
    _FIRST_SO_FAR: "leads so far",
    _LEVEL: "equal",
    _EQUAL: "as good",
    _OPEN: "not decided",
    _WORSE: "worse",
    _SO_FAR: "behind so far",
    _BROKEN: "breaks down",
}


class _Against(NamedTuple):
    """What became of an own method in a panel, beside the best of those that look at features and are not own."""

    name: str
    panel: Standings
    other: str
    ahead: bool  # whether the method is the better one of the two
    gain: Estimate  # of the better one
    outcome: str
    rival: str = ""  # the closest of whom it is open who is better: the other one, or where that is decided another
    undecided: Estimate | None = None  # how far the better one of the two is ahead

    @property
    def needed(self) -> str:
        """What would decide it beside the rival; empty where nothing is open, or that is not known."""
        return needed(self.panel, [self.undecided]) if self.undecided else ""


def _comparisons_of(name: str, panels: Iterable[Standings], own: Collection[str]) -> Iterator[_Against]:
    """Of one method each panel in which it is compared: it is the best there, or shares repetitions with the best."""
    for panel in panels:
        if name not in panel.complete or name not in (panel.best, *panel.gains) or not panel.gains:
            continue
        of_all = panel.gains_of(name)
        gains = {n: gain for n, gain in of_all.items() if n not in panel.grid.trivial and n not in own} or of_all
        other, least = next(iter(gains.items()))
        equal = {rival for rival, gain in gains.items() if panel.is_equivalent(gain)}
        if not (mean := least.mean):
            yield _Against(name, panel, other, False, least, _LEVEL)
        elif mean > 0:
            sound = ((rival, gain) for rival, gain in gains.items() if rival not in {*panel.broken, *equal})
            undecided = [(rival, gain) for rival, gain in sound if surely(gain) < 1][:1]
            outcome = _AHEAD if surely(least) else _EQUAL if other in equal else _OPEN
            rival = undecided[0] if undecided and least.testable else ()
            yield _Against(name, panel, other, True, least, outcome if least.testable else _FIRST_SO_FAR, *rival)
        else:
            gain = panel.gains_of(other)[name]
            outcome = _WORSE if surely(gain) > 0 else _EQUAL if other in equal else _OPEN
            outcome = _BROKEN if name in panel.broken else outcome if gain.testable else _SO_FAR
            yield _Against(name, panel, other, False, gain, outcome, *((other, gain) if outcome == _OPEN else ()))


def _by_metric(compared: Iterable[_Against]) -> dict[str, list[_Against]]:
    """Comparisons by the metric that they are by."""
    groups: dict[str, list[_Against]] = defaultdict(list)
    for each in compared:
        groups[each.panel.grid.metric].append(each)
    return groups


def own_sentences(panels: Sequence[Standings], own: Collection[str]) -> Iterator[str]:
    """Where each own method stands by each metric beside the best other one and all others, and what would decide."""
    for name in own:
        for metric, compared in _by_metric(_comparisons_of(name, panels, own)).items():
            alike = [panel for panel in panels if panel.complete and panel.grid.metric == metric]
            yield _by_one_metric(name, compared, {panel.grid.adversary for panel in alike})


def _by_one_metric(name: str, compared: Sequence[_Against], adversaries: Collection[str]) -> str:
    under, total, grid = {each.panel.grid.adversary for each in compared}, len(compared), compared[0].panel.grid
    one = f" under {next(iter(under))}" if len(under) == 1 and under < set(adversaries) else ""
    place, what = ("on", f" data sets{one}") if len(under) == 1 else ("in", " comparisons")
    panels, texts = [each.panel for each in compared], list[str]()
    for outcome in _OUTCOMES:
        there, subject = [each for each in compared if each.outcome == outcome], "it" if texts else name
        counted = f"{place} {len(there)} of {total}{'' if texts else what}{_where([e.panel for e in there], panels)}"
        if there and total == 1:
            texts.append(_of_one_comparison(there[0]))
        elif there and outcome == _OPEN:
            whether = f"it is not decided whether {subject} is better than the best other method {counted}"
            texts.append(f"{whether}: it {_directions(there)}")
        elif there:
            margin = f" {there[0].panel.margin:g}," if outcome == _EQUAL else ""
            texts.append(f"{subject} {outcome}{margin} {counted}{_span(there)}")
    open_places: dict[str, list[str]] = defaultdict(list)
    for each in compared if total > 1 else ():
        if each.rival not in ("", each.other):
            open_places[each.rival].append(each.panel.grid.panel)
    for rival, places in open_places.items():
        texts.append(f"on {named(places)}, it is not decided whether it is better than {rival}")
    if known := [each for each in compared if each.needed]:
        easiest = min(known, key=lambda each: effort(each.needed))
        remedy = remedy_in_words(easiest.panel, {easiest.needed: []})[:-1]
        if total > 1:
            easy = len(known) > 1 and not easiest.needed.startswith("over")
            first, comma = ("the easiest to decide is", ":") if easy else ("on", ",")
            remedy = f"{first} {easiest.panel.grid.panel}{comma} {remedy[0].lower()}{remedy[1:]}"
        texts.append(remedy)
    texts += ["" if all(each.outcome == _AHEAD for each in compared) else _beside_others(name, compared)]
    texts += _beside_trivial(name, panels)
    over = " over the axis" if any(len(panel.grid.columns) > 1 for panel in panels) else ""
    by = f"By {mean_of(grid)}{over} ({'higher' if grid.greater_is_better else 'lower'} is better)"
    text = joined([f"{by}, {texts[0]}.", *(f"{text[0].upper()}{text[1:]}." for text in texts[1:] if text)])
    return explained_once(grid, text)


def _of_one_comparison(compared: _Against) -> str:
    name, panel, other, ahead, gain, outcome, rival, undecided = compared
    by = gain_in_parts(panel, gain)[0] + " points" * bool(panel.grid.share)
    by = by if outcome in (_SO_FAR, _FIRST_SO_FAR, _BROKEN) else amount_of(panel, undecided or gain)
    direction = f"{by} {'ahead of' if ahead else 'behind'} "
    if undecided:
        best = f", and significantly better than the best other method, {other}" if rival != other else ""
        return (
            f"it is not decided whether {name} is better than {rival} on {panel.grid.panel}: it is "
            f"{direction}{rival}{best}"
        )
    margin = f" {panel.margin:g}" if outcome == _EQUAL else ""
    return f"{name} {outcome}{margin}: {'' if outcome == _LEVEL else direction}{other} on {panel.grid.panel}"


def _directions(there: Sequence[_Against]) -> str:
    """``leads by 0.2 points``, or ``is between 0.7 points behind and 0.2 points ahead``, of what is not decided."""
    behind, ahead = ([each for each in there if each.ahead is ahead] for ahead in (False, True))
    if not (behind and ahead):
        return f"{'leads' if ahead else 'is behind'}{_span(there)[1:]}"
    farthest = [max((each.gain for each in some), key=lambda gain: gain.mean) for some in (behind, ahead)]
    sizes = in_one_form(there[0].panel, farthest)
    points = " points" if there[0].panel.grid.share else ""
    return f"is between {sizes[0]}{points} behind and {sizes[1]}{points} ahead"


def _where(some: Sequence[Standings], panels: Sequence[Standings]) -> str:
    """`` (bees under noise and soils under noise)``: some of all panels; nothing where these are all, or many."""
    several = len({panel.grid.adversary for panel in panels}) > 1
    names = [panel.grid.panel if several else panel.grid.name for panel in some]
    return f" ({listed(names)})" if len(some) < len(panels) and len(some) <= FEW_NAMED else ""


def _on(some: Sequence[Standings], panels: Sequence[Standings]) -> str:
    return f"on {named(panel.grid.panel for panel in some)}, " * (len(some) < len(panels))


def _span(there: Sequence[_Against]) -> str:
    """``, by 0.5 to 0.8 points``, of comparisons by one metric; nothing of methods that are level, or untested."""
    if there[0].outcome in (_LEVEL, _EQUAL, _SO_FAR, _FIRST_SO_FAR, _BROKEN):
        return ""
    gains = sorted((each.gain for each in there), key=lambda gain: gain.mean)
    sizes = dict.fromkeys(in_one_form(there[0].panel, (gains[0], gains[-1])))
    return f", by {' to '.join(sizes)}{' points' if there[0].panel.grid.share else ''}"


def _beside_others(name: str, compared: Sequence[_Against]) -> str:
    """Than which methods one is significantly better, or worse, in each place where both are compared.

    In one place the best is not among them, of which it is said.
    """
    signs: dict[str, set[int]] = defaultdict(set)
    for each in compared:
        for other, gain in each.panel.gains_of(name).items():
            signs[other].add(surely(gain))
    if len(compared) == 1:
        signs[compared[0].other].discard(-1)
    everywhere = " everywhere" * (len(compared) > 1)
    by_sign = {
        word: [other for other in signs if signs[other] == {sign}] for word, sign in (("better", 1), ("worse", -1))
    }
    texts = [
        f"significantly {word}{everywhere} than {all_named(compared[0].panel, others)}"
        for word, others in by_sign.items()
        if others
    ]
    return f"it is {' and '.join(texts)}" if texts else ""


def _beside_trivial(name: str, panels: Sequence[Standings]) -> Iterator[str]:
    """Where one method is worse than one that looks at no feature, or from where on it is no better."""
    worse, lost = list[Standings](), defaultdict[str, list[Standings]](list)
    for panel in panels:
        no_better, grid = [name not in panel.better_at(value) for value in panel.grid.columns], panel.grid
        gain = panel.gains_of(name).get(panel.baseline or "")
        if gain is not None and surely(gain) < 0:
            worse.append(panel)
        elif gain is not None and len(no_better) > 1 and no_better[-1]:
            since = holds_since(no_better)
            at = f"at {grid.at(grid.headings[since])}{' and beyond' * (since < len(no_better) - 1)}"
            lost["" if all(no_better) else at].append(panel)
    trivial = next((trivial_named(panel.grid, panel.baseline) for panel in panels if panel.baseline), "")
    if worse:
        yield f"{_on(worse, panels)}it is significantly worse than {trivial}"
    if nowhere := lost.pop("", []):
        yield f"{_on(nowhere, panels)}it is nowhere {how_better(panels[0])} than {trivial}"
    if lost:
        places = listed([f"{at}{_where(there, panels)}" for at, there in lost.items()])
        yield f"{places}, it is not {how_better(panels[0])} than {trivial}"


def own_comparisons(analysis: Analysis, whole: bool) -> list[ReportTable]:
    """How far own methods are from the best other one, by metric; nothing of one comparison, of which an answer tells.

    How far a method is from each other one follows where it is the only own one, and in the whole report.
    """
    own = analysis.own
    groups = _by_metric(each for name in own for each in _comparisons_of(name, analysis.judged_panels, own))
    tables = list[ReportTable]()
    for metric, compared in groups.items():
        by = f" by {metric}" * (len(groups) > 1)
        if len(compared) > 1:
            tables.append(_against_the_best(analysis, compared, by))
        for name in own if whole or len(own) == 1 else ():
            of_name = [each for each in compared if each.name == name]
            if len(of_name) > 1:
                tables.append(_against_each(analysis, of_name, by))
    return [*tables, *_by_further_metrics(analysis)]


def _by_further_metrics(analysis: Analysis) -> Iterator[ReportTable]:
    """How often own methods are better, or worse, than the best other one by each metric but the first."""
    panels = [panel for panel in analysis.further_panels if panel.complete] if analysis.own else []
    groups = {name: _by_metric(_comparisons_of(name, panels, analysis.own)) for name in analysis.own}
    groups = {name: by for name, by in groups.items() if by}
    shown = [each for by in groups.values() for compared in by.values() for each in compared]
    became, rows = {each.outcome for each in shown}, list[list[ReportCell]]()
    heads = [head for outcome, head in _OUTCOMES.items() if outcome in became]
    trivial = {panel.baseline: None for panel in panels if panel.baseline}
    for name, by in groups.items():
        if len(groups) > 1:
            rows.append([ReportCell(text, emphasis="panel") for text in (f"{name}{OWN}", *[""] * (len(heads) + 2))])
        for metric, compared in by.items():
            counts = Counter(_OUTCOMES[each.outcome] for each in compared)
            below = [each.panel.gains_of(name).get(each.panel.baseline or "") for each in compared]
            counts["trivial"] = sum(gain is not None and surely(gain) < 0 for gain in below)
            of = [f"{count} of {len(compared)}" if (count := counts[head]) else "" for head in (*heads, "trivial")]
            ends = sorted(compared, key=lambda each: each.gain.mean if each.ahead else -each.gain.mean)
            difference = ReportCell(
                _range([ends[0], ends[-1]]), spread=_difference(ends[0])[1] if len(ends) == 1 else ""
            )
            place = f"{'  ' * (len(groups) > 1)}{metric}"
            rows.append([*(ReportCell(text) for text in (place, *of)), difference])
    heads.append(f"worse than {' or '.join(trivial)}")
    if not any(row[-2].text for row in rows):  # nowhere worse
        heads, rows = heads[:-1], [[*row[:-2], row[-1]] for row in rows]
    if rows:
        who = f"Own method {next(iter(groups))}" if len(groups) == 1 else "Own methods"
        where = SCOPE_NAMES[analysis.settings.scope]
        note = f"against the best other method, by the {_over_axis(shown)}; better or worse: significant {where}"
        yield ReportTable(
            title=f"{who} by the other metrics",
            columns=["metric", *heads, "difference"],
            rows=rows,
            align=("left", *["right"] * len(heads), "left"),
            note=note,
        )


def _over_axis(compared: Iterable[_Against]) -> str:
    return "mean over the axis" if any(len(each.panel.grid.columns) > 1 for each in compared) else "mean"


def _range(ends: Sequence[_Against]) -> str:
    """``0.6 to 1.4 points worse``, or ``0.6 points worse to 0.4 points better``."""
    unit = " points" * bool(ends[0].panel.grid.share)
    texts = [_difference(each)[0] for each in ends]
    if "equal" in texts:
        return " to ".join(dict.fromkeys(texts))
    first, last = in_one_form(ends[0].panel, [each.gain for each in ends])
    how, of_last = (text.rpartition(" ")[2] for text in texts)
    if how != of_last:
        return f"{first}{unit} {how} to {last}{unit} {of_last}"
    sizes = dict.fromkeys([first, last] if how == "better" else [last, first])
    return f"{' to '.join(sizes)}{unit} {how}"


def _difference(compared: _Against) -> tuple[str, str]:
    """``0.6 worse`` and its interval."""
    size, interval = gain_in_parts(compared.panel, compared.gain)
    text = f"{size} {'better' if compared.ahead else 'worse'}" if compared.gain.mean else "equal"
    return text, "" if interval == "-" else interval


def _against_the_best(analysis: Analysis, compared: Sequence[_Against], by: str) -> ReportTable:
    """By how much own methods differ from the best other one by one metric, and what would decide that."""
    names = list(dict.fromkeys(each.name for each in compared))
    rows = list[list[ReportCell]]()
    for each in compared:
        text, spread = _difference(each)
        mark = MARK * bool(surely(each.gain))
        needed = each.needed + f" ({each.rival})" * (each.rival not in ("", each.other))
        if _OUTCOMES[each.outcome] == "as good" and not needed:
            needed = f"as good within {each.panel.margin:g}"
        rows.append([ReportCell(each.other), ReportCell(text, spread=spread, mark=mark), ReportCell(needed)])
    points = " (points)" if compared[0].panel.grid.share else ""
    where = SCOPE_NAMES[analysis.settings.scope]
    note = f"{_over_axis(compared)}; [low, high]: 95 % interval {where}; {MARK} significant {where} (each by itself)"
    who = f"Own method {names[0]}" if len(names) == 1 else "Own methods"
    columns = ["best other method", f"{names[0] if len(names) == 1 else 'own method'} is{points}", "to decide it takes"]
    if any(needs.text for *_, needs in rows):
        undecided = [each for each in compared if each.needed]
        note += "; to decide it takes: repetitions in all, or times as many rows, if differences stay"
        note += how_rough([each.panel for each in undecided], [each.needed for each in undecided])
        note += "; (NAME): it is that method that is not told apart" * any("(" in needs.text for *_, needs in rows)
    else:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return _of_places(f"{who} against the best other method{by}", compared, columns, rows, note, ("left", "right"))


def _against_each(analysis: Analysis, compared: Sequence[_Against], by: str) -> ReportTable:
    """By how much an own method differs from each other one by one metric."""
    name, gains_by_place = compared[0].name, [each.panel.gains_of(each.name) for each in compared]
    others = [other for other in analysis.algorithms if any(other in gains for gains in gains_by_place)]
    others.sort(key=lambda other: other in analysis.results.trivial)
    share = compared[0].panel.grid.share

    def cell(gain: Estimate | None) -> ReportCell:
        if gain is None:
            return ReportCell("-")
        size = f"{100 * gain.mean:.1f}" if share else number(gain.mean)
        return ReportCell(f"{'+' * (gain.mean > 0)}{size}", mark=MARK if surely(gain) else "")

    rows = [[cell(gains.get(other)) for other in others] for gains in gains_by_place]
    note = f"{_over_axis(compared)}{' (points)' * bool(share)}; above 0 {name} is better, below 0 it is worse"
    note += f"; {MARK} significant {SCOPE_NAMES[analysis.settings.scope]} (each by itself)"
    return _of_places(
        f"Own method {name} against each method{by}", compared, others, rows, note, ("right",) * len(others)
    )


def _of_places(
    title: str,
    compared: Sequence[_Against],
    columns: Sequence[str],
    rows: Sequence[Sequence[ReportCell]],
    note: str,
    align: Sequence[str],
) -> ReportTable:
    """A table of a row for each comparison, below its method and adversary as far as there are several."""
    several = len({each.name for each in compared}) > 1
    of_first = [each.panel.grid for each in compared if each.name == compared[0].name]
    by_adversary = 1 < len({grid.name for grid in of_first}) < len(of_first)
    below: dict[str, list[list[ReportCell]]] = defaultdict(list)
    for each, row in zip(compared, rows, strict=True):
        grid = each.panel.grid
        under = [f"{'under ' * (not several)}{grid.adversary}"] * by_adversary  # with a name there is no room for more
        head = ", ".join([f"{each.name}{OWN}"] * several + under)
        place = f"{'  ' * bool(head)}{grid.name if by_adversary else grid.panel}"
        below[head].append([ReportCell(place), *row])
    made = list[list[ReportCell]]()
    for head, of_head in below.items():
        made += [[ReportCell(text, emphasis="panel") for text in (head, *[""] * len(columns))]] * bool(head) + of_head
    align = ["left", *align, *["left"] * (len(columns) - len(align))]
    return ReportTable(title=title, columns=["data set", *columns], rows=made, align=align, note=note)
