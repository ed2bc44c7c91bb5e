"""Building the site: from a folder or an address of published results to a folder of pages."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchkit.journal import PublishError
from benchkit.published.site.adversaries import adversary_pages
from benchkit.published.site.cases import cases_of
from benchkit.published.site.changes import changes_page
from benchkit.published.site.checked import checked_page
from benchkit.published.site.methods import method_pages
from benchkit.published.site.numbers import files_of_cases, files_of_suite, numbers_section
from benchkit.published.site.pages import about, data_pages, suite_list
from benchkit.published.site.papers import paper_pages
from benchkit.published.site.question import question_page
from benchkit.published.site.search import search
from benchkit.published.site.shown import rows_of, shown_suites
from benchkit.published.site.versus import versus_page
from benchkit.published.stored import Stored, open_stored
from benchkit.report.page.document import page

MARK = ".benchkit-site"
"""A file that marks a folder as a site: such a folder is replaced, any other that holds files is not."""


def build_site(reference: str | Path, folder: str | Path) -> list[Path]:
    """Write the site of published results.

    Parameters
    ----------
    reference : str or Path
        As for `benchkit.published.stored.open_stored`.
    folder : path
        Is made anew; a folder that holds anything but an earlier site is refused.

    Returns
    -------
    list of Path
        The pages.

    Raises
    ------
    PublishError
    """
    target = Path(folder)
    stored = open_stored(reference)
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise PublishError(f"{target}: holds files that are no site of benchkit's; name another folder")
    pages, numbers = _pages(stored)
    try:
        if target.is_dir():
            shutil.rmtree(target)
        for address, text in pages.items():
            path = target / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for address, content in numbers.items():
            (target / address).write_bytes(content)
        (target / MARK).write_text("", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{target}: cannot write here: {error.strerror or error}") from None
    return [target / address for address in pages]


def _pages(stored: Stored) -> tuple[dict[str, str], dict[str, bytes]]:
    """The pages by their addresses within the site, and the files of numbers beside them."""
    suites = shown_suites(stored)
    cases = cases_of(suites)
    files = files_of_cases(cases)
    pages = {"index.html": question_page(cases), "suites.html": suite_list(suites, stored)}
    for shown in suites:
        numbers = numbers_section(shown.address.rpartition("/")[2].removesuffix(".html"), rows_of(shown, stored))
        pages[shown.address] = page(shown.analysis, shown.manifest, home="../index.html", more=[numbers])
        files |= files_of_suite(shown)
    pages |= {**method_pages(suites, stored, cases), "versus.html": versus_page(cases)}
    pages |= {**data_pages(suites, stored), **adversary_pages(cases), **paper_pages(suites, stored)}
    pages["checked.html"] = checked_page(stored)
    pages["changes.html"] = changes_page(stored, {(each.suite, each.profile): each.address for each in suites})
    pages["about.html"] = about(stored)
    pages["search.html"] = search(suites, pages, stored)
    return pages, files
