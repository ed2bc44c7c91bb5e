"""How to cite what a run used: the papers of its methods, adversaries and data sets as BibTeX."""

import re
from collections import defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import benchkit
from benchkit import Analysis, Results

_WORK = re.compile(r"(?:used by )?(?P<authors>[^\d]+?),? (?P<year>\d{4})\b(?: \([^)]*\))?(?:, (?P<rest>.*))?")
_ADDRESS = re.compile(r"https?://[^\s,;)]+")
# Where in a declaration's reference the title ends, and the place within the work begins.
_PLACE = re.compile(
    r", (?=section|Eq\.|footnote|Algorithm|chapter|Figs?\.|Tables?|Theorem|Corollary|scenarios|for |with |given |VI|\d)"
)


def bibtex(analysis: Analysis) -> str:
    """The works that a run used, once each, with what used them.

    What plugins of benchkit cite most comes with the place where it appeared. Of other works the reference of the
    declaration is all that is known: whoever cites them adds journal and pages.
    """
    return _entries([analysis.results])


def joined_bibtex(results: Results, analyses: Sequence[Analysis]) -> str:
    """The works that any of several suites used."""
    return _entries(results.suites)


def _entries(suites: Sequence[Results]) -> str:
    users: dict[str, dict[str, None]] = defaultdict(dict)
    for results in suites:
        suite = results.manifest["suite_as_run"]
        declarations = benchkit.registry(tuple(results.manifest.get("plugins", ())))
        for kind in ("datasets", "algorithms", "adversaries"):
            declared = getattr(declarations, kind)
            for entry in suite.get(kind, ()):
                name = entry if isinstance(entry, str) else entry["name"]
                for work in declared[name].reference.split("; ") if name in declared else ():
                    users[work][name] = None
    # By key what is cited: the same work with its title and without, or two works of a year, which letters tell apart.
    cited: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    complete = _complete_entries()
    for work, names in users.items():
        if work:
            key, fields, title = _parts(work)
            entry = complete.get(key, f"@misc{{KEY,\n{fields}" + (f"  title = {{{title}}},\n" if title else ""))
            cited[key][entry] |= names
    facts = {"author": "{The benchkit maintainers}", "title": "{benchkit}", "version": version("benchkit")}
    facts["year"] = str(suites[0].manifest.get("started", ""))[:4]
    texts = ["@software{benchkit,\n" + "".join(f"  {name} = {{{fact}}},\n" for name, fact in facts.items()) + "}"]
    for key, entries in sorted(cited.items()):
        titled = [entry for entry in entries if "  title = " in entry]
        if len(titled) == 1:
            entries = {titled[0]: {name: None for names in entries.values() for name in names}}
        for place, (entry, names) in enumerate(entries.items()):
            letter = chr(ord("a") + place) if len(entries) > 1 else ""
            # What stands between entries is read by nobody but people; a note would be printed in the paper.
            texts.append(f"used for {', '.join(names)}\n{entry.replace('KEY', f'{key}{letter}', 1)}}}")
    return "\n\n".join(texts) + "\n"


def _complete_entries() -> dict[str, str]:
    """Entries that are known whole, by their keys, without the last brace."""
    text = Path(__file__).with_name("works.bib").read_text(encoding="utf-8")
    entries = re.findall(r"^(@\w+\{)(\w+)(,\n.*?)^\}", text, re.DOTALL | re.MULTILINE)
    return {key: f"{kind}KEY{fields}" for kind, key, fields in entries}


def _parts(work: str) -> tuple[str, str, str]:
    """A key, authors, year and address as lines, and the title; of what is written otherwise all as the title."""
    if address := _ADDRESS.search(work):
        key, fields, title = _parts(_ADDRESS.sub("", work).strip(" ,.") or address[0].partition("//")[2])
        return key, f"{fields}  url = {{{address[0]}}},\n", title
    match = _WORK.fullmatch(work)
    if "RoOFS" in work or work.startswith("Zhang, Lei"):  # cited without its year
        return "zhang2018", "", ""
    if match is None:
        return re.sub(r"\W+", "", work)[:20].lower() or "work", "", work
    authors = " and ".join(re.split(r", | & ", match["authors"].replace(" et al.", " & others")))
    key = re.sub(r"\W+", "", re.split(r", | & | et al", match["authors"])[0].split()[-1]).lower() + match["year"]
    title = _PLACE.split(f", {match['rest'] or ''}")[0].removeprefix(", ")
    return key, f"  author = {{{authors}}},\n  year = {{{match['year']}}},\n", title
