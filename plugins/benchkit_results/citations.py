"""How to cite what a run used: the papers of its methods, adversaries and data sets as BibTeX."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import benchkit
from benchkit import Analysis, Results

_WORK = re.compile(r"(?:used by )?(?P<authors>[^\d]+?),? (?P<year>\d{4})\b(?: \([^)]*\))?(?:, (?P<rest>.*))?")
# Where in a declaration's reference the title ends, and the place within the work begins.
_PLACE = re.compile(
    r", (?=section|Eq\.|footnote|Algorithm|chapter|Figs?\.|Tables?|Theorem|Corollary|scenarios|for |with |given |VI|\d)"
)

# What some declarations cite by authors and year alone, as others write it.
_TITLES = {
    "Globerson & Roweis 2006": "Nightmare at test time: robust learning by feature deletion",
    "Dekel & Shamir 2008": "Learning to classify with missing and corrupted features",
    "Dekel, Shamir & Xiao 2010": "Learning to classify with missing and corrupted features",
    "Dick, Haider & Scheffer 2008": "Learning from incomplete data with infinite imputations",
}


def bibtex(analysis: Analysis) -> str:
    """The works that a run used, once each, with what used them.

    References are declared as authors, year and title, so that journal and pages are to be added by whoever cites.
    """
    return _entries([analysis.results])


def joined_bibtex(results: Results, analyses: Sequence[Analysis]) -> str:
    """The works that any of several suites used."""
    return _entries(results.suites)


def _entries(suites: Sequence[Results]) -> str:
    used: dict[str, dict[str, None]] = defaultdict(dict)
    for results in suites:
        suite = results.manifest["suite_as_run"]
        known = benchkit.registry(tuple(results.manifest.get("plugins", ())))
        for kind in ("datasets", "algorithms", "adversaries"):
            declared = getattr(known, kind)
            for entry in suite.get(kind, ()):
                name = entry if isinstance(entry, str) else entry["name"]
                for work in declared[name].reference.split("; ") if name in declared else ():
                    used[work][name] = None
    by_key: dict[str, dict[tuple[str, str], dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for work, names in used.items():
        if work:
            key, lines, title = _parts(work)
            by_key[key][lines, title] |= names
    texts = [f"@software{{benchkit,\n  title = {{benchkit}},\n  version = {{{benchkit.__version__}}},\n}}"]
    for key, works in sorted(by_key.items()):
        titled = [each for each in works if each[1]]
        if len(titled) == 1:  # what is cited without its title elsewhere
            works = {titled[0]: {name: None for names in works.values() for name in names}}
        for place, ((lines, title), names) in enumerate(works.items()):
            letter = chr(ord("a") + place) if len(works) > 1 else ""
            shown = f"  title = {{{title}}},\n" if title else ""
            texts.append(f"@misc{{{key}{letter},\n{lines}{shown}  note = {{used for {', '.join(names)}}},\n}}")
    return "\n\n".join(texts) + "\n"


def _parts(work: str) -> tuple[str, str, str]:
    """A key, authors and year as lines, and the title; of what is written otherwise all as the title."""
    match = _WORK.fullmatch(work)
    if match is None:
        return re.sub(r"\W+", "", work)[:20].lower() or "work", "", work
    authors = " and ".join(re.split(r", | & ", match["authors"].replace(" et al.", " & others")))
    key = re.sub(r"\W+", "", re.split(r", | & | et al", match["authors"])[0].split()[-1]).lower() + match["year"]
    title = _PLACE.split(f", {match['rest'] or ''}")[0].removeprefix(", ")
    title = title or _TITLES.get(f"{match['authors'].strip(' ,')} {match['year']}", "")
    return key, f"  author = {{{authors}}},\n  year = {{{match['year']}}},\n", title
