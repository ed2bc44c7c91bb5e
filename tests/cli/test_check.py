"""``benchkit check`` and ``benchkit new`` as a user meets them."""

import json
from pathlib import Path

import pytest

GOOD = (Path(__file__).parents[2] / "examples" / "medians.py").read_text()


def test_a_file_that_keeps_the_rules(here, write_plugin):
    found = here("check", str(write_plugin(GOOD)))
    assert found.returncode == 0, found.stdout + found.stderr
    assert "kept       deterministic-under-a-seed" in found.stdout
    assert " 0 broken" in found.stdout


def test_a_broken_rule_decides_the_exit_code(here, write_plugin):
    plugin = str(write_plugin(GOOD.replace('{"power"', '{"pover"')))
    found = here("check", plugin, "--only", "medians")
    assert found.returncode == 1
    assert "broken     grid-within-parameters: the grid names 'pover', but the constructor takes power" in found.stdout
    findings = json.loads(here("check", plugin, "--json").stdout)
    (broken,) = [finding for finding in findings if finding["outcome"] == "broken"]
    assert broken["subject"] == "medians"
    assert broken["rule"] == "grid-within-parameters"
    only = json.loads(here("check", plugin, "--json", "--only", "my_plugin").stdout)
    assert {finding["kind"] for finding in only} == {"plugin"}


def test_a_plugin_that_cannot_be_loaded_breaks_a_rule(here, write_plugin):
    found = here("check", str(write_plugin("def broken(:")))
    assert found.returncode == 1
    assert "broken     loads-without-problems: cannot be loaded from" in found.stdout
    assert "SyntaxError" in found.stdout
    assert "Traceback" not in found.stdout + found.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["check", "baseline"], "unknown plugin 'baseline'; did you mean 'baselines'?"),
        (["check", "absent.py"], "no such plugin file: absent.py"),
        (["check", "baselines", "--only", "svn"], "did you mean 'svm'?"),
        (["new", "plugin", "My Method"], "how about 'my-method'?"),
        (["new", "plugin", "thing", "--kind", "report"], "unknown kind 'report'"),
    ],
)
def test_mistakes_end_in_one_line_and_exit_code_2(here, arguments, reason):
    found = here(*arguments)
    assert found.returncode == 2
    assert reason in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_new_says_what_to_do_next(here, tmp_path):
    found = here("new", "plugin", "thing", "--kind", "metric")
    assert found.returncode == 0
    assert (tmp_path / "thing" / "pyproject.toml").is_file()
    assert 'Next: pip install -e "thing[test]" && pytest thing && benchkit check thing' in found.stdout
