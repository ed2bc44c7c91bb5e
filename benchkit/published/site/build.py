"""Building the site: from a folder or an address of published results to a folder of pages."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchkit.journal import PublishError
from benchkit.published.site.pages import about, data_pages, method_pages, paper_pages, search, suite_list
from benchkit.published.site.question import question_page
from benchkit.published.site.shown import shown_suites
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
    pages = _pages(stored)
    try:
        if target.is_dir():
            shutil.rmtree(target)
        for address, text in pages.items():
            path = target / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (target / MARK).write_text("", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{target}: cannot write here: {error.strerror or error}") from None
    return [target / address for address in pages]


def _pages(stored: Stored) -> dict[str, str]:
    """The pages by their addresses within the site."""
    with shown_suites(stored) as suites:
        pages = {"index.html": question_page(suites), "suites.html": suite_list(suites)}
        pages |= {shown.address: page(shown.analysis, shown.manifest, home="../index.html") for shown in suites}
        pages |= {**method_pages(suites, stored), **data_pages(suites, stored), **paper_pages(suites)}
        pages["about.html"] = about(stored)
        pages["search.html"] = search(suites, pages, stored)
    return pages
