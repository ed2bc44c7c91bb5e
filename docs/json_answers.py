"""Write docs/json.md from the types of what ``--json`` prints: ``python docs/json_answers.py``."""

from __future__ import annotations

from pathlib import Path
from typing import is_typeddict

from benchkit.cli.interface.json_answer import fields, in_words
from benchkit.cli.interface.json_rows import ANSWERS

PAGE = Path(__file__).with_name("json.md")

INTRODUCTION = """\
# Answers as JSON

Generated from `benchkit/cli/interface/json_rows.py` by `python docs/json_answers.py`; a test runs every command that
reads, and holds what it prints against the schema.

Every command that reads takes `--json`, and prints one object on standard output. It has the same five keys everywhere:

| key | type | meaning |
|---|---|---|
| `benchkit` | string | version of benchkit |
| `command` | string | which command this is the answer of, such as `"report"` or `"data list"` |
| `rows` | list of objects | the answer itself, one object per row; which keys they have is below |
| `summary` | object | what is said of all rows together; empty where nothing is |
| `notes` | list of strings | warnings and cautions, in sentences |

    benchkit report runs/quickstart --json | jq '.rows[] | select(.metric == "error") | .mean'
    benchkit report runs/quickstart --json | jq -r '.summary.answers[]'
    benchkit plan quickstart --json | jq .summary.seconds

In Python, `pandas.DataFrame(json.load(file)["rows"])` is a table of the rows. What is unknown or not finite is `null`.
`benchkit schema answers` prints the JSON schema of all of this. Exit codes are the same as without `--json`; a mistake
is one line on standard error and exit code 2, with nothing on standard output. Progress and warnings go to standard
error.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for command, (row, summary) in ANSWERS.items():
        parts.append(f"## benchkit {command}\n\nA row: {_text(row)}\n\n{_table(row)}\n")
        if not is_typeddict(summary):
            parts.append(f"`summary`: the rest of what [the command finds]({command}.md), by name.\n")
        elif list(fields(summary)):
            parts.append(f"`summary`: {_text(summary)}\n\n{_table(summary)}\n")
    return "\n".join(parts)


def _text(kind: type) -> str:
    text = (kind.__doc__ or "").strip()
    return text[0].lower() + text[1:]


def _table(kind: type) -> str:
    lines = ["| key | type | meaning |", "|---|---|---|"]
    for each in fields(kind):
        absent = "" if each.required else ", not always there"
        lines.append(f"| `{each.name}` | {in_words(each.type)}{absent} | {each.meaning} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
