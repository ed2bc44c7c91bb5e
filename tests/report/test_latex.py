"""LaTeX tables obey the rules that a compiler would check: balanced, escaped, as many cells as columns."""

import re

import pytest

from benchkit.report.analysis import Analysis
from benchkit.report.documents import latex


def check(text):
    """Raise where LaTeX would complain."""
    stack, columns = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("%"):
            continue
        assert line.isascii(), (number, line)
        assert not re.search(r"(?<!\\)%", line), (number, line)
        plain = re.sub(r"\\[\\{}&%$#_]", "", line)
        assert plain.count("{") == plain.count("}"), (number, line)
        assert plain.count("$") % 2 == 0, (number, line)
        assert not re.search(r"[#~]", plain), (number, line)
        outside = re.sub(r"\$[^$]*\$", "", plain)
        assert not re.search(r"[_^]", outside), (number, line)
        for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", line):
            if kind == "begin":
                stack.append(name)
            else:
                assert stack.pop() == name, (number, line)
        begun = re.match(r"\\begin\{tabular\}\{(.*)\}$", line)
        if begun:
            columns = len(re.sub(r"p\{[^}]*\}", "p", begun[1]))
        if line.endswith("\\\\"):
            assert stack[-1] == "tabular", (number, line)
            assert plain.count("&") == columns - 1, (number, line)
    assert not stack


@pytest.fixture(scope="module")
def analysis(make_row, make_results):
    rows = [
        make_row(r, base + 0.01 * r + 0.1 * place, algorithm=name, dataset=dataset, axis_value=float(place))
        for dataset, base in {"a_b": 0.1, "50% & more": 0.2, "c^2 {x} ~ #1": 0.3}.items()
        for name, base in {"go_od": base, "b\\ad $1": base + 0.3}.items()
        for place in range(8)
        for r in range(8)
    ]
    rows += [make_row(r, None, "failed", algorithm="lost", dataset="a_b", axis_value=1.0) for r in range(2)]
    return Analysis(make_results(rows, title="100 % of it"))


def test_tables_are_well_formed(analysis):
    text = latex(analysis)
    check(text)
    assert r"\toprule" in text
    labels = re.findall(r"\\label\{(tab:[A-Za-z0-9.-]+)\}", text)
    assert len(set(labels)) == len(labels) == text.count(r"\begin{table}")
    assert r"\label{tab:s-error-on-a-b-under-a}" in text
    assert r"\textbf{0.135}" in text
    assert "$^{*}$" in text
    assert "0 of 2" in text
    assert text.count(r"\begin{tabular}") == len(labels) + 3  # eight columns of three data sets do not fit a page
