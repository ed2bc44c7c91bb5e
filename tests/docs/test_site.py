"""The documentation site: it builds without a warning, draws its formulas, and fetches nothing from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.conftest import PATIENCE

pytest.importorskip("latex2mathml", reason="the site needs the extra docs")
pytest.importorskip("mkdocs", reason="the site needs the extra docs")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder


class Loaded(HTMLParser):
    """Addresses that a browser loads by itself with a page: links that a reader may click are not among them."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source"):
            self.addresses.append(given.get("src") or "")
        elif tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.addresses.append(given.get("href") or "")


def test_nothing_is_loaded_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        parser = Loaded()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.addresses
        assert [address for address in parser.addresses if re.match(r"(https?:)?//", address)] == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", style.read_text(encoding="utf-8")), style


def test_every_formula_of_the_pages_is_drawn(site):
    for source in (ROOT / "docs" / "methods").glob("*.md"):
        text = source.read_text(encoding="utf-8")
        formulas = len(re.findall(r"^ *```math$", text, re.MULTILINE)) + text.count("$`")
        folder = site / "methods" if source.stem == "README" else site / "methods" / source.stem
        page = (folder / "index.html").read_text(encoding="utf-8")
        assert page.count("<math") == formulas, source.name
        assert "```math" not in page
        assert not re.search(r"formula\d+token", page)
