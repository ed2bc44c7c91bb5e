"""What the pages say that is typed and printed is what the program does: README, authoring, results, judged tables."""

import dataclasses
import inspect
import re
import shlex
from pathlib import Path

import judge_rivals
import pytest
import yaml

import benchkit
from benchkit.cli.main import app
from benchkit_results.publish import publish
from benchkit_results.rows import COLUMNS, FURTHER
from benchkit_results.stored import open_stored
from tests.conftest import load_script

ROOT = Path(__file__).parents[2]
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
README, GUIDE, RESULTS, JUDGE = (
    path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *(DOCS / f"{name}.md" for name in ("authoring", "results", "judge")))
)


def block(page, language, first=""):
    """The one block of a page in a language that begins so, without this beginning."""
    (text,) = re.findall(rf"```{language}\n{re.escape(first)}(.*?)```", page, re.DOTALL)
    return text


# The README.

COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for chain in re.findall(r"^    (.*)$", README, re.MULTILINE)
    for line in chain.split(" && ")
    if line.startswith("benchkit ")
]
# Smaller, and the same command otherwise: one repetition and one point of the axis, in one process.
SMALLER = ["--executor", "inline", "--no-tracking", "--no-plots", "--only"]


def test_links_and_pictures_are_there():
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target.partition("#")[0]).is_file()] == []


def test_every_command_runs_in_this_order(tmp_path, call_benchkit):
    """As on a machine without data files; two that need a browser and a network are only read."""
    (tmp_path / "ridge.py").write_text(block(README, "python", "# ridge.py\n"))
    ran = []
    for command in COMMANDS:
        if command[0] == "ui":
            command = ["ui", "--help"]
        elif command[0] == "run":
            command = [*command, *SMALLER, "repetition=0,dataset=breast,axis_value=1"]
        done = call_benchkit(tmp_path, *command, COLUMNS="80")
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        ran.append(done.stdout)
    assert len(ran) == 9
    assert "ridge" in next(shown for command, shown in zip(COMMANDS, ran, strict=True) if "--plugin" in command)
    assert "<html" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "my-method" / "pyproject.toml").is_file()


def test_the_readme_counts_claims_as_the_page_that_it_links_to():
    readme = " ".join(README.split())
    page = (DOCS / "REPRODUCTION.md").read_text(encoding="utf-8")
    claims = re.search(r"- (\d+) claims of the papers: (\d+) supported, (\d+) contradicted, (\d+) undecided", page)
    numbers = re.search(r"- \d+ numbers that the papers print: (\d+) consistent with ours, (\d+) not", page)
    assert claims is not None
    assert numbers is not None
    whole, supported, contradicted, undecided = claims.groups()
    assert f"Of {whole} claims of the papers {supported} are supported, {contradicted} contradicted" in readme
    assert f"{undecided} need more repetitions" in readme
    consistent, apart = numbers.groups()
    assert f"{consistent} are consistent with ours and {apart} are not" in readme


# The guide for authors.

BLOCKS = re.findall(r"```(?:python|yaml|toml)\n# (\S+)\n(.*?)```", GUIDE, re.DOTALL)


def test_blocks_are_files_of_the_examples():
    assert [name for name, text in BLOCKS if text != (EXAMPLES / name).read_text()] == []
    assert len(BLOCKS) == 2


@pytest.mark.parametrize(
    ("suite", "plugins", "only", "algorithms"),
    [
        (
            str(EXAMPLES / "mine.yaml"),
            (),
            {"dataset": "breast", "axis_value": "2"},
            {"medians", "votes", "lp", "fdrop", "svm", "constant"},
        ),
        ("quickstart", [EXAMPLES / "medians.py"], {"dataset": "label-copies"}, {"medians"}),
    ],
)
def test_the_suite_of_the_guide_runs_and_its_file_joins_another(tmp_path, suite, plugins, only, algorithms):
    given = {"out": tmp_path, "executor": "inline", "tracking": False}
    results = benchkit.run(suite, plugins=plugins, only={"repetition": "0", **only}, **given)
    assert results.ok
    assert {row["algorithm"] for row in results.records} >= algorithms


def test_the_adversary_of_the_page_on_plugins_keeps_the_rules_and_runs(tmp_path, call_benchkit):
    text = block((DOCS / "plugins.md").read_text(encoding="utf-8"), "python", "# blank.py\n")
    (tmp_path / "blank.py").write_text(text)
    assert "0 broken" in call_benchkit(tmp_path, "check", "blank.py").stdout
    only = ["--only", "repetition=0,dataset=breast,adversary=blank,algorithm=svm"]
    done = call_benchkit(tmp_path, "run", "quickstart", "--plugin", "blank.py", *SMALLER[:-1], *only)
    assert "4 trials run, 0 reused" in done.stdout


# Published results: the path of a stranger, on a small suite.

TYPED = [line for block in re.findall(r"```console\n(.*?)```", RESULTS, re.DOTALL) for line in block.splitlines()]


def test_a_strangers_path(capsys, tiny, tmp_path, monkeypatch):
    """In a folder as a clone's, with published results of a small suite, which is what others ran."""
    (tmp_path / "quickstart.yaml").write_text(yaml.safe_dump({**tiny, "name": "quickstart"}, sort_keys=False))
    suite = str(tmp_path / "quickstart.yaml")
    results = benchkit.run(suite, out=tmp_path / "elsewhere", executor="inline", tracking=False)
    publish([results.folder], tmp_path / "results")
    (tmp_path / "ridge.py").write_text(block(RESULTS, "python", "# ridge.py\n"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHKIT_RESULTS", "results")
    told = {}
    for command in TYPED:
        _, name, *arguments = shlex.split(command)
        if name == "run":
            arguments = ["quickstart.yaml", *arguments[1:], "--executor", "inline", "--no-tracking", "--no-plots"]
        assert app([name, *arguments], standalone_mode=False) in (None, 0), command
        told[name] = " ".join(capsys.readouterr().out.split())
    assert "4 trials run, 0 reused" in told["run"]
    assert "8 published rows beside them" in told["run"]
    assert "Published rows" in told["report"]
    assert "4 rows, 4 with the losses of their test rows" in told["publish"]
    assert len(open_stored(tmp_path / "results").runs) == 2
    assert "1 of 1" in told["verify"]
    assert "does not hold" not in told["verify"]
    assert (tmp_path / "build" / "results" / "method" / "ridge.html").is_file()


def test_every_column_is_documented():
    table = RESULTS.partition("| column | meaning |")[2]
    cells = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
    documented = {name for cell in cells for name in re.findall(r"`(.+?)`", cell)}
    assert documented == {*COLUMNS, *FURTHER, "metrics.NAME"}


# Judged tables.

SHOWN = re.findall(r"^    benchkit (judge [^\n]*)\n\n```text\n(.*?)```", JUDGE, re.MULTILINE | re.DOTALL)


def lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.split()[1] for command, _ in SHOWN])
def test_outputs_are_what_is_printed(command, output, monkeypatch, call_benchkit):
    done = call_benchkit(DOCS, *shlex.split(command), COLUMNS="100")
    assert done.returncode == 0, done.stderr
    assert len(SHOWN) == 2
    printed = lines(done.stdout)
    assert len(lines(output)) > 10
    assert [line for line in lines(output) if line not in printed] == []


def test_the_tables_beside_other_tools_are_what_the_kept_figures_give():
    shown = JUDGE.split(judge_rivals.BEGIN)[1].split(judge_rivals.END)[0]
    figures = judge_rivals.kept()
    assert shown.strip() == judge_rivals.written(figures).strip()
    for case in judge_rivals.TABLES:
        pairs = judge_rivals.judged_pairs(judge_rivals.read_table(case), case)
        assert str(len(pairs)) == figures[case, "benchkit"]["apart"]
    assert {figure.get("opposite", "0") for figure in figures.values()} == {"0"}


# The references of hooks and public names.

reference = load_script(DOCS / "reference.py")
HOOKS = (DOCS / "hooks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", reference.PAGES, ids=lambda path: path.name)
def test_a_reference_is_up_to_date(path):
    assert path.read_text(encoding="utf-8") == reference.PAGES[path](), "run: python docs/reference.py"


def test_every_public_name_is_documented():
    text = HOOKS + (DOCS / "api.md").read_text(encoding="utf-8")
    assert [name for name in benchkit.__all__ if f"## {name}\n" not in text and f"`{name}" not in text] == []


@pytest.mark.parametrize("name", reference.hooks())
def test_a_hook_is_documented(name):
    hook = reference.hooks()[name]
    assert len(inspect.getdoc(hook) or "") > 30
    for parameter in inspect.signature(hook).parameters.values():
        assert parameter.annotation is not parameter.empty
    assert f"## {name}\n" in HOOKS


@pytest.mark.parametrize("name", reference.hooks())
def test_a_hook_is_tested(name):
    """By a plugin of that file, or of the examples, which tests/examples runs."""
    tests = (ROOT / "tests" / "plugin" / "test_hooks.py", *(ROOT / "examples").rglob("*.py"))
    assert any(f"def {name}(" in path.read_text(encoding="utf-8") for path in tests), f"implement {name} in the first"


@pytest.mark.parametrize("name", reference.values())
def test_every_field_of_a_value_is_documented(name):
    value = reference.values()[name]
    # Fields that all declarations have are said once, where they are declared.
    text = "".join(each.__doc__ or "" for each in value.__mro__ if dataclasses.is_dataclass(each))
    for field in dataclasses.fields(value):
        assert field.name in text, f"{name}.{field.name} is not in its docstring"
