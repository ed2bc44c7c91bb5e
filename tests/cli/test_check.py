"""``benchkit check`` as a user meets it."""

import json
from pathlib import Path

from benchkit.cli.check import check
from benchkit.testing.check import RuleFinding

GOOD = (Path(__file__).parents[2] / "examples" / "medians.py").read_text()


def test_a_broken_rule_decides_the_exit_code(here, write_plugin):
    plugin = str(write_plugin(GOOD.replace('{"power"', '{"pover"')))
    found = here("check", plugin, "--only", "medians")
    assert found.returncode == 1
    assert "broken     grid-within-parameters: the grid names 'pover', but the constructor takes power" in found.stdout
    findings = json.loads(here("check", plugin, "--json", "--only", "medians").stdout)["rows"]
    broken = [(row["subject"], row["rule"]) for row in findings if row["outcome"] == "broken"]
    assert broken == [("medians", "grid-within-parameters")]


def test_one_mistake_is_told_once_and_its_traceback_where_it_is_asked_for(here, write_plugin):
    plugin = str(write_plugin(GOOD.replace("        X, y = ", "        raise KeyError('gamma')\n        X, y = ", 1)))
    found = here("check", plugin, "--only", "medians", COLUMNS="80")
    broken = [line for line in found.stdout.splitlines() if line.startswith("  broken") and "scikit-learn" not in line]
    assert broken[0] == "  broken     fits-the-same-again: KeyError: 'gamma'"
    assert sum("KeyError: 'gamma'" in line for line in broken) == 1
    assert "Traceback" not in found.stdout
    assert "--verbose prints the tracebacks" in found.stdout
    assert "raise KeyError('gamma')" in here("check", plugin, "--only", "medians", "--verbose").stdout


def test_findings_are_told_as_they_come(write_plugin, monkeypatch, capsys):
    """A bad executor took nine minutes to be found out, in silence."""

    def slow(checks):
        yield RuleFinding("algorithm", "medians", "first-rule", "kept")
        assert "kept       first-rule" in capsys.readouterr().out
        yield RuleFinding("algorithm", "medians", "second-rule", "kept")

    monkeypatch.setattr("benchkit.testing.check.find_all", slow)
    check(str(write_plugin(GOOD)))
    assert "2 kept" in capsys.readouterr().out


def test_a_plugin_that_cannot_be_loaded_breaks_a_rule(here, write_plugin):
    found = here("check", str(write_plugin("def broken(:")))
    assert found.returncode == 1
    assert "broken     loads-without-problems: " in found.stdout
    assert "SyntaxError" in found.stdout
    assert "Traceback" not in found.stdout + found.stderr
