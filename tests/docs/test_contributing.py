"""The map in CONTRIBUTING.md is the tree of the repository."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
ON_THE_MAP = re.findall(r"^(\S+/) +(\S.*)$", TEXT.partition("## The map")[2], re.MULTILINE)
# One line stands for everything inside.
WHOLE = ("benchkit/scaffold/templates/", "examples/", "results/", "tests/")
ROOTS = ["benchkit", "plugins", "suites", "tests", "docs", "examples", ".ci", ".github/workflows", "results"]


def has_files(folder):
    """Whether it holds files of the project, itself or further down; what Python writes at import does not count."""
    return any(path.is_file() and "__pycache__" not in path.parts for path in folder.rglob("*"))


def folders():
    """Every folder, as the map writes it, but for those inside one that stands for all it holds."""
    for root in ROOTS:
        for folder in [ROOT / root, *sorted(path for path in (ROOT / root).rglob("*") if path.is_dir())]:
            name = f"{folder.relative_to(ROOT)}/"
            inside = any(name.startswith(whole) and name != whole for whole in WHOLE)
            if not inside and has_files(folder) and "__pycache__" not in name and ".egg-info" not in name:
                yield name


def test_every_folder_has_its_line_and_every_line_its_folder():
    assert sorted(name for name, _ in ON_THE_MAP) == sorted(folders())


def test_no_folder_of_the_top_is_forgotten():
    kept_out = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()} | {".git"}
    environments = {path.parent.name for path in ROOT.glob("*/pyvenv.cfg")}  # of whoever calls them as they like
    present = {path.name for path in ROOT.iterdir() if path.is_dir()} - kept_out - environments
    assert present - {root.partition("/")[0] for root in ROOTS} == set()
