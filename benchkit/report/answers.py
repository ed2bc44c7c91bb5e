"""The answer in plain sentences, per adversary: which method to use, where the others stand, and what none achieves."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from benchkit.document.text import number, percent, with_interval
from benchkit.report.grid import Grid
from benchkit.report.standings import FAR, Standings
from benchkit.statistics.estimate import LEVEL, MOST_REPETITIONS, Estimate, to_decide
from benchkit.statistics.sampling import ROWS, Sampling

MARK, OWN, BROKEN = "*", "†", "!"
MOST_NAMED, FEW_NAMED = 4, 3
_MOST_DIGITS = 4
_FEW = 30  # repetitions: with fewer what would decide is a guess
_MOST_TIMES = 50  # as many rows nobody will find
_TIMES, _AS_MANY = " x ", " times as many "  # in a table, and in a sentence
_IN_ALL, _RUN_FIRST = "repetitions in all", f"run {_FEW} before you rely on it"


def answers(panels: Sequence[Standings], own: Collection[str] = ()) -> list[str]:
    """Per adversary and metric a sentence or two, then who is left out; first those left out who are ``own``."""
    compared = [panel for panel in panels if panel.complete]
    together: dict[tuple[str, str], list[Standings]] = defaultdict(list)
    for panel in compared:
        if panel.gains:
            together[panel.grid.adversary, panel.grid.metric].append(panel)
    left_out = _left_out(compared, own)
    of_all = [joined(text for names, text in left_out if not names.isdisjoint(own))]
    of_all += [_of_one(each[0]) if len(each) == 1 else _of_several(each) for each in together.values()]
    of_all.append(joined(text for names, text in left_out if names.isdisjoint(own)))
    of_all.append(joined(dict.fromkeys(map(_too_good, compared))))
    return [*filter(None, of_all), *_without_result(panels)]


def _of_one(panel: Standings) -> str:
    grid, best, baseline = panel.grid, panel.best, panel.baseline
    under = _situation(grid, f" on {grid.name}") if grid.adversary != "none" else f"On {grid.name}"
    mean = panel.means[best]
    if baseline and panel.best_is_no_better:
        which = f", {'which' if grid.share else 'whose'} {_is(grid, panel.means[baseline])}"
        first = f"{under}, no method beats {trivial_named(grid, baseline)}{which}"
        return joined([f"{first}.", _where_some_are_better(panel)])
    if baseline and not panel.baseline_is_beaten and panel.ahead.testable:
        level = panel.means[baseline]
        both = (
            f"{best} {_is(grid, mean)}, {baseline} {grid.share.split()[-1]} {percent(level)}"
            if grid.share
            else f"the {_is(grid, mean)} for {best}, {number(level)} for {baseline}"
        )
        first = f"{under}, no method is sure to beat {trivial_named(grid, baseline)}: {both}"
        return explained_once(grid, joined([f"{first}.", _helps(panel, [baseline])]))
    if panel.tied:
        which = f"{'each' if grid.share else 'the'} {_is(grid, mean)}, and they are equal in every repetition"
    else:
        which = f"{'it' if grid.share else 'its'} {_is(grid, mean)}"
    names = " or ".join([best, *panel.tied])
    use = f"use {names}" if panel.ahead.testable else f"{names} {'is' if names == best else 'are'} best so far"
    nothing = _where_nothing_helps(panel)
    first = f"{under}, {use}: {which}"
    if len(grid.columns) > 2 and not any(map(panel.better_at, grid.columns[1:])):
        # What is said of the mean says little where nothing helps but at the first place.
        first, nothing = f"{under}: {nothing[0].lower()}{nothing[1:]} Over the whole axis {use}: {which}", ""
    open_ones = [name for name in panel.as_good if name not in (*panel.tied, *panel.equivalent, *grid.trivial)]
    helps = _helps(panel, open_ones) if panel.ahead.testable else ""
    return explained_once(grid, joined([f"{'; '.join([first, *_others(panel)])}.", helps, nothing]))


def _situation(grid: Grid, where: str = "") -> str:
    """``If features go at random (random-delete on patients)``; undeclared, ``Under random-delete on patients``."""
    return f"{grid.situation} ({grid.adversary}{where})" if grid.situation else f"Under {grid.adversary}{where}"


def _is(grid: Grid, value: float) -> str:
    """``is wrong on 19.9% of the rows``, of a share; of another metric ``roc_auc is 0.9``; if need be on average."""
    over = ""
    if len(grid.columns) > 1:
        numeric = all(isinstance(value, int | float) for value in grid.columns)
        span = grid.at(f"{grid.headings[0]} to {grid.headings[-1]}") if numeric else f"the {grid.axis_title}s"
        over = f" over {span}"
    if grid.share:
        return f"is {grid.share} {percent(value)} of the rows{f' on average{over}' if over else ''}"
    return f"{mean_of(grid)}{over} is {number(value)}"


def _others(panel: Standings) -> list[str]:
    """Where every other method stands beside the best: by how much it is worse, and whether that is known."""
    if not panel.ahead.enough:
        few = "1 repetition is" if panel.ahead.n == 1 else f"{panel.ahead.n} repetitions are"
        return [f"{few} too few to say whether another is as good"]
    if not panel.ahead.testable:
        return ["no test says whether another is as good (see the cautions)"]
    worse = [name for name in panel.worse if name not in panel.grid.trivial]
    if not panel.as_good and not panel.broken:
        return [_worse(panel, worse or panel.worse, every=True)]
    others = [name for name in panel.as_good if name not in (*panel.tied, *panel.grid.trivial)]
    equal = [name for name in others if name in panel.equivalent]
    undecided = [name for name in others if name not in equal]
    texts = [f"{_amounts(panel, equal)} {are(equal)} as good within the margin of {panel.margin:g}"] if equal else []
    if undecided:
        open_ones = f"{_amounts(panel, undecided)} {are(undecided)} not significantly worse"
        texts.append(f"{open_ones}, as far as {_data(panel)} can tell")
    if worse:
        texts.append(_worse(panel, worse, every=False))
    if panel.broken:
        breaks = "breaks" if len(panel.broken) == 1 else "break"
        texts.append(f"{named(panel.broken)} {breaks} down: more than {FAR:,} times the loss of {panel.baseline}")
    return texts


def _amounts(panel: Standings, names: Sequence[str]) -> str:
    """``b (by 0.3 [0.2, 0.4]) and c (by 0.4 [0.3, 0.5])``; of many the first."""
    return named(f"{name} (by {amount_of(panel, panel.gains[name])})" for name in names)


def _worse(panel: Standings, names: Sequence[str], every: bool) -> str:
    """That methods are significantly worse: of two by how much each is, of more the least and the most of these."""
    who = "every other method is" if every else f"{named(names)} {are(names)}"
    worse = f"significantly worse{'' if panel.scope == ROWS else ' on these rows'}"
    if len(names) < FEW_NAMED:
        each = _amounts(panel, names)
        return f"{who} {worse}: {each}" if every else f"{each} {are(names)} {worse}"
    names = panel.worse if every else names  # the most may be that of a method that looks at no feature
    sizes = dict.fromkeys(in_one_form(panel, [panel.gains[name] for name in (names[0], names[-1])]))
    return f"{who} {worse}, by {' to '.join(sizes)}{' points' if panel.grid.share else ''}"


def _data(panel: Standings) -> str:
    """``these 600 rows``, or those of them that were tested, where they are what limits it; else the repetitions.

    They do where all repetitions draw from one data set, or have its test part. The number of rows (or groups, where
    whole groups are drawn) is exact where rows were kept, or follow from the split; else it is the one to be expected.
    """
    drawn, gain = panel.curves[panel.best].over_axis.drawn, panel.ahead
    ways = [way for way in drawn.values() if way.known and not way.fresh]
    if panel.scope != ROWS or len(drawn) != 1 or not ways:
        return f"{gain.n / gain.sample.per_repetition:.0f} repetitions"
    (way,) = ways
    expected, unit = round(way.distinct_rows(gain.n, ROWS, groups=True)), "rows" if way.n_groups is None else "groups"
    count = expected if gain.rows is None else gain.rows.units
    whole = count if way.given else way.n_groups or way.n_rows or 0
    if count >= whole:
        return f"these {whole:,} {unit}"
    exact = gain.rows is not None or way.given or way.folds is not None or gain.n == 1
    return f"the tested {unit} ({'' if exact else 'about '}{count:,} of {whole:,})"


def _helps(panel: Standings, names: Iterable[str]) -> str:
    """What would decide whether the best is better than some methods: repetitions first, and what takes fewest."""
    methods: dict[str, list[str]] = defaultdict(list)
    for name in reversed(list(names)):
        if amount := needed(panel, [panel.gains[name]]):
            methods[amount].append(name)
    return remedy_in_words(panel, {amount: methods[amount] for amount in sorted(methods, key=effort)})


def _where_nothing_helps(panel: Standings) -> str:
    """From which point of the axis on no method, or hardly any, is better than one that looks at no feature."""
    grid = panel.grid
    if panel.baseline is None or len(grid.columns) < 2:
        return ""
    better = [panel.better_at(value) for value in grid.columns]
    words, best = trivial_named(grid, panel.baseline), better[-1]
    if not best:
        where = _from(grid, holds_since([not here for here in better]))
        return f"{where} no method is {how_better(panel)} than {words}."
    worse = [name for name in grid.rows if name in panel.complete and name not in (*grid.trivial, *best)]
    if len(worse) > len(best):
        since = holds_since([set(here) == set(best) for here in better])
        return f"{_from(grid, since)} only {named(best)} {are(best)} {how_better(panel)} than {words}."
    by_place: dict[int, list[str]] = defaultdict(list)
    for name in worse:
        by_place[holds_since([name not in here for here in better])].append(name)
    texts = list[str]()
    for since, names in sorted(by_place.items(), key=lambda each: each[0] or math.inf):
        where = f"{_from(grid, since)} " if since else ""
        where = f"{where[0].lower()}{where[1:]}" if texts and where else where  # within a sentence
        than = "either" if texts else f"than {words}"
        texts.append(f"{where}{named(names)} {are(names)} {'not' if since else 'nowhere'} {how_better(panel)} {than}")
    return f"{'; '.join(texts)}." if texts else ""


def _too_good(panel: Standings) -> str:
    """That methods make no mistake where nothing is lost: a column may tell the target."""
    grid = panel.grid
    start = grid.column(grid.columns[0])
    names = [each.algorithm for each in start if each.mean == 0 and each.algorithm not in grid.trivial]
    made_up = any(way.fresh for point in start for way in point.drawn.values())
    if not grid.share or made_up or not names:
        return ""
    at = f", at {grid.at(grid.headings[0])}," if len(grid.columns) > 1 else ""
    makes = "makes" if len(names) == 1 else "make"
    return (
        f"On {grid.name}{at} {named(names)} {makes} no mistake: see whether a column is known only once the target is."
    )


def _from(grid: Grid, since: int) -> str:
    """``From 2 features deleted on,``, or ``At 5 features deleted,`` of the last place alone."""
    place = grid.at(grid.headings[since])
    return f"At {place}," if since == len(grid.columns) - 1 else f"From {place} on,"


def _where_some_are_better(panel: Standings) -> str:
    """Where on the axis a method is better than one that looks at no feature, though over all of it none is."""
    grid = panel.grid
    better = {heading: panel.better_at(value) for heading, value in zip(grid.headings, grid.columns, strict=True)}
    places = [heading for heading in grid.headings if better[heading]]
    if not places or len(grid.columns) < 2:
        return ""
    names = [name for name in better[places[0]] if all(name in better[heading] for heading in places)]
    beside = places == grid.headings[grid.headings.index(places[0]) :][: len(places)]
    where = f"{places[0]} to {places[-1]}" if beside and len(places) > 1 else ", ".join(places)
    return f"At {grid.at(where)}, {named(names) if names else 'some methods'} {are(names)} better."


def _of_several(panels: Sequence[Standings]) -> str:
    """How many data sets each method leads on, where that is decided, who is worse on all; what would decide it."""
    grid = panels[0].grid
    under = "" if grid.adversary == "none" else f"{_situation(grid)}, "
    nobody = [panel for panel in panels if panel.best_is_no_better]
    led = [panel for panel in panels if panel not in nobody]
    by_best: dict[tuple[str, ...], list[Standings]] = defaultdict(list)
    for panel in led:
        by_best[panel.best, *panel.tied].append(panel)
    sentences = []
    if led:
        mean = f"{'highest' if grid.greater_is_better else 'lowest'} {mean_of(grid)}"
        (first, leads), *others = sorted(by_best.items(), key=lambda item: -len(item[1]))
        have = "has" if len(first) == 1 else "share"
        counts = [f"{listed(first)} {have} the {mean} on {len(leads)} of {len(panels)} data sets{_names(leads)}"]
        counts += [f"{listed(names)} on {len(leads)}{_names(leads)}" for names, leads in others]
        sentences = [f"{under}{listed(counts)}."]  # it may begin with a method's name, which keeps its case
        decided = [panel for panel in led if not panel.as_good]
        where = "on these" if len(led) < len(panels) else "on both" if len(led) == 2 else "on all"
        where = "there" if len(led) == 1 else where
        if len(led) == 1:
            sentences.append(f"The lead is {'significant' if decided else 'not significant'}.")
        elif len(decided) == len(led):
            sentences.append(f"{'Both' if len(led) == 2 else 'All'} leads are significant.")
        elif decided:
            only = listed([panel.grid.name for panel in decided])
            sentences.append(f"The lead is significant on {only} alone.")
        else:
            tested = any(panel.ahead.testable for panel in led)
            few = "There is no test: too few repetitions, or rows without values."
            sentences.append(few if not tested else f"{'Neither' if len(led) == 2 else 'No'} lead is significant.")
        worse = [name for name in led[0].worse if all(name in panel.worse for panel in led)]
        worse = [name for name in worse if name not in grid.trivial]
        if worse and len(decided) < len(led):
            sentences.append(f"{listed(worse)} {are(worse)} significantly worse than the best {where}.")
        equal = [name for name in led[0].equivalent if all(name in panel.equivalent for panel in led)]
        if equal:
            sentences.append(f"{listed(equal)} {are(equal)} as good {where}, within the margin of {led[0].margin:g}.")
        rivals = [
            [panel.gains[name] for name in panel.as_good if name not in (*panel.tied, *panel.equivalent, *grid.trivial)]
            for panel in led
        ]
        known = [(p, amount) for p, gains in zip(led, rivals, strict=True) if (amount := needed(p, gains))]
        texts = [f"{in_words(amount)} on {panel.grid.name}" for panel, amount in known]
        guess = how_rough([panel for panel, _ in known], [amount for _, amount in known])
        sentences += [f"What would decide the lead over all others{guess}: {named(texts)}."] * bool(known)
    unsure = [panel for panel in led if panel.baseline and not panel.baseline_is_beaten and panel.ahead.testable]
    if unsure:
        where = named(panel.grid.name for panel in unsure)
        sentences.append(
            f"On {where} no method is significantly better than {trivial_named(grid, unsure[0].baseline or '')}."
        )
    if nobody:
        on = f"on {len(nobody)} of {len(panels)} data sets{_names(nobody)}"
        trivial = trivial_named(nobody[0].grid, nobody[0].baseline or "")
        text = f"{'' if sentences else under}{on} no method beats {trivial}."
        sentences.append(text[0].upper() + text[1:])
    return joined(sentences)


def _names(panels: Sequence[Standings]) -> str:
    return f" ({', '.join(panel.grid.name for panel in panels)})" if len(panels) < MOST_NAMED else ""


def _left_out(panels: Sequence[Standings], own: Collection[str]) -> list[tuple[set[str], str]]:
    """Who takes no part, where and why, the reader's own methods first.

    Nothing is said of methods for numbers beside classes: skipped in every panel of one metric, and compared by others.
    """
    places: dict[tuple[str, str], list[Standings]] = defaultdict(list)
    metrics: dict[str, set[str]] = defaultdict(set)  # by which each method is compared
    for panel in panels:
        for name in panel.complete:
            metrics[name].add(panel.grid.metric)
    for panel in panels:
        for name, why in panel.left_out.items():
            if panel.grid.metric in metrics[name] or not metrics[name] or not why.startswith("its trials were skipped"):
                places[name, why].append(panel)
    who: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (name, why), out_of in sorted(places.items(), key=lambda place: place[0][0] not in own):
        counted = len(out_of) > 1 and why[0].isdigit()
        who["on each " * counted + why, _places(out_of, panels)].append(name)
    return [
        (
            set(names),
            f"{named(names)} {are(names)} left out{where}{':' if len(names) == 1 else ', each because'} {why}.",
        )
        for (why, where), names in who.items()
    ]


def _places(some: Sequence[Standings], panels: Sequence[Standings]) -> str:
    """`` under greedy-delete`` of all its data sets, `` on breast`` of all its adversaries; nothing of all there is."""
    if len(some) == len(panels):
        return ""
    for word, field in (("under", "adversary"), ("on", "name")):
        values = {getattr(panel.grid, field) for panel in some}
        if len(values) == 1 and sum(getattr(panel.grid, field) in values for panel in panels) == len(some):
            return f" {word} {values.pop()}"
    return f" on {named(panel.grid.panel for panel in some)}"


def _without_result(panels: Sequence[Standings]) -> Iterator[str]:
    """Where no method has a value, with the reason if there is one alone."""
    without = [panel for panel in panels if not panel.complete]
    reasons = {why for panel in without for why in panel.left_out.values()}
    if without:
        on = f"On {named([panel.grid.panel for panel in without])} no" if len(without) < len(panels) else "No"
        why = f": {next(iter(reasons)).replace('its trials', 'the trials of each')}" if len(reasons) == 1 else ""
        why = why or "; the trials that did not end ok say why"
        yield f"{on} method can be compared{why}."


def ask_for_repetitions(texts: Iterable[str]) -> bool:
    """Whether answers say that more repetitions would decide something, or are needed to know what would."""
    return any(_IN_ALL in text or _RUN_FIRST in text for text in texts)


def how_rough(panels: Sequence[Standings], amounts: Iterable[str]) -> str:
    """What is said of amounts that would decide, where they are known from few repetitions."""
    drawn = [panel for panel in panels if panel.ahead.rows is None or not panel.ahead.rows.given]
    fewest = min((panel.ahead.n for panel in drawn), default=_FEW)
    folds = any(way.folds for panel in drawn for way in _ways(panel))
    more_may_do = all(_room(panel) >= _FEW for panel in drawn) and not any("repetitions" in text for text in amounts)
    first = f": {_RUN_FIRST}" if more_may_do and not folds else ""
    return f" (a rough guess from {fewest} {'folds' if folds else 'repetitions'}{first})" if fewest < _FEW else ""


def _ways(panel: Standings) -> Iterable[Sampling]:
    return panel.curves[panel.best].over_axis.drawn.values()


def _room(panel: Standings) -> float:
    """How many repetitions the data have room for."""
    return min((way.room for way in _ways(panel)), default=math.inf)


def effort(amount: str) -> tuple[bool, bool, float]:
    """By which amounts are in order, the least first: those of repetitions before those of rows."""
    return amount.startswith("over"), _TIMES in amount, float(re.findall(r"[\d.]+", amount)[0])


def in_words(amount: str) -> str:
    """``40 repetitions in all``, of an amount as tables have it."""
    return amount.replace(_TIMES, _AS_MANY).replace("repetitions", _IN_ALL)


def remedy_in_words(panel: Standings, methods: Mapping[str, Sequence[str]]) -> str:
    """``About 40 repetitions would decide it, if the differences stay as they are.``; of several amounts for whom."""
    methods, guess = {in_words(amount): names for amount, names in methods.items()}, how_rough([panel], methods)
    amounts = [amount for amount in methods if not amount.startswith("over")]
    hopeless = [name for amount, names in methods.items() if amount not in amounts for name in names]
    apart = (
        f"{panel.best} cannot be told apart from {all_named(panel, hopeless)}"
        if hopeless
        else "The two cannot be told apart"
    )
    texts = [f"{apart} with these data{guess * (not amounts)}."] * (len(amounts) < len(methods))
    if amounts:
        easiest = methods[amounts[0]]
        for_whom = f" for {all_named(panel, easiest)}" if easiest and len(panel.gains) > 1 else ""
        unit = amounts[0].lstrip("0123456789.")
        further = [f"{amount.removesuffix(unit)} for {all_named(panel, methods[amount])}" for amount in amounts[1:]]
        first = f"About {amounts[0]} would decide it{for_whom}"
        if not any("repetitions" in amount for amount in amounts) and _room(panel) > panel.ahead.n:
            first = f"More repetitions alone would hardly decide it, but about {amounts[0]} would{for_whom}"
        texts.insert(0, f"{listed([first, *further])}, if the differences stay as they are{guess}.")
    return joined(texts)


def needed(panel: Standings, gains: Sequence[Estimate]) -> str:
    """What would decide all of some differences, as ``40 repetitions``; empty if not known."""
    numbers = [to_decide(gain) for gain in gains]
    if not numbers or any(math.isnan(times) for _, times in numbers):
        return ""
    repetitions, times = map(max, zip(*numbers, strict=True))
    if repetitions <= _room(panel) and math.isfinite(repetitions) and not panel.out_of_reach(gains):
        return f"{_rounded(math.ceil(repetitions / gains[0].sample.per_repetition)):.0f} repetitions"
    if panel.scope != ROWS:
        return f"over {min(MOST_REPETITIONS, _room(panel))} repetitions"
    units = "groups" if any(way.n_groups for way in _ways(panel)) else "rows"
    return f"{f'{_rounded(times):g}' if times <= _MOST_TIMES else f'over {_MOST_TIMES}'}{_TIMES}{units}"


def _rounded(value: float) -> float:
    """Upwards to two digits."""
    step = 10.0 ** (len(str(math.floor(value))) - 2)
    return round(math.ceil(round(value / step, 9)) * step, 9)


def trivial_named(grid: Grid, name: str) -> str:
    """``always answering the largest class (constant)``."""
    return f"{grid.trivial[name]} ({name})"


def explained_once(grid: Grid, text: str) -> str:
    """What a method that looks at no feature does is said where a text names it first, and not again."""
    for name in grid.trivial:
        before, words, after = text.partition(trivial_named(grid, name))
        text = f"{before}{words}{after.replace(words, name)}" if words else text
    return text


def all_named(panel: Standings, names: Iterable[str]) -> str:
    """Names of methods, of which those that look at no feature come last, and tell what they do."""
    trivial = panel.grid.trivial
    ordered = sorted(names, key=lambda name: name in trivial)
    return listed([trivial_named(panel.grid, name) if name in trivial else name for name in ordered])


def mean_of(grid: Grid) -> str:
    """``mean error`` along an axis, and of a metric that is a mean itself ``average mean-absolute-error``."""
    mean = "average " if grid.metric.startswith("mean") else "mean "
    return f"{mean if len(grid.columns) > 1 else ''}{grid.metric}"


def amount_of(panel: Standings, gain: Estimate) -> str:
    """``2.1 points [0.8, 3.4]``, of a share in per cent; of another metric ``0.021 [0.008, 0.034]``."""
    mean, interval = gain_in_parts(panel, gain)
    return f"{mean}{' points' if panel.grid.share else ''}{'' if interval == '-' else f' {interval}'}"


def gain_in_parts(panel: Standings, gain: Estimate) -> tuple[str, str]:
    """By how much one method is better than another, and its interval; of a share in per cent."""
    share = panel.grid.share
    ends = (
        gain.interval(LEVEL, panel.grid.limits_of_differences) if math.isfinite(gain.stderr) else (-math.inf, math.inf)
    )
    times, digits = (100, 1) if share else (1, 3)
    while digits < _MOST_DIGITS and any(end and round(times * end, digits) == 0 for end in ends):
        digits += 1  # on which side of 0 it ends is to be seen
    return with_interval(times * gain.mean, times * ends[0], times * ends[1], digits)


def in_one_form(panel: Standings, gains: Sequence[Estimate]) -> list[str]:
    """The sizes of gains, with as many decimals as the one that needs most."""
    texts = [gain_in_parts(panel, gain)[0] for gain in gains]
    decimals = max(len(text.partition(".")[2]) for text in texts)
    scaled = [(100 if panel.grid.share else 1) * gain.mean for gain in gains]
    return texts if any("e" in text for text in texts) else [f"{size:.{decimals}f}" for size in scaled]


def how_better(panel: Standings) -> str:
    """What better than a trivial method means: significantly so, where there is a test."""
    return "significantly better" if panel.ahead.testable else "better on average"


def holds_since(holds: Sequence[bool]) -> int:
    """The first place from which on something holds, which does at the end."""
    return next(place for place in range(len(holds)) if all(holds[place:]))


def joined(sentences: Iterable[str]) -> str:
    """One text of sentences, of which some may be empty."""
    return " ".join(filter(None, sentences))


def are(names: Sequence[str]) -> str:
    """The verb that fits so many names."""
    return "is" if len(names) == 1 else "are"


def named(names: Iterable[str]) -> str:
    """``a, b and c``; of many the first."""
    names = list(names)
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return listed([*names[:MOST_NAMED], *more])


def listed(names: Sequence[str]) -> str:
    """``a, b and c``, however many."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
