"""Whatever table comes, it is judged or refused in one line."""

import json

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import benchkit
from benchkit import TableError

cells = st.one_of(st.floats(), st.integers(-3, 3), st.none(), st.booleans(), st.just("x"), st.just(""))
names = st.sampled_from(["model", "task", "item", "seed", "score", "a", "b", "error", "seconds", "machine", "cluster"])


@settings(max_examples=60)
@given(st.data())
def test_any_frame(data):
    columns = data.draw(st.lists(names, min_size=1, max_size=5, unique=True))
    rows = data.draw(st.integers(0, 12))
    judged_or_refused(
        pd.DataFrame({name: data.draw(st.lists(cells, min_size=rows, max_size=rows)) for name in columns})
    )


def test_a_column_of_gaps_has_no_text_among_its_numbers():
    columns = {"model": [None], "task": [None], "item": [None], "seed": ["x"], "a": [None]}
    judged_or_refused(pd.DataFrame(columns, dtype=object))


@settings(max_examples=20)
@given(
    st.integers(2, 4),
    st.integers(1, 9),
    st.data(),
    st.sampled_from([None, "task", "item", "seed", "item,seed", "task,seed"]),
    st.sampled_from(["mean", "ranks", "wilcoxon"]),
)
def test_any_full_table_with_holes(methods, units, data, unit, by):
    """Few values, so that ties and methods that are alike abound."""
    rows = [
        {"model": f"m{method}", "task": f"t{place % 4}", "item": place, "seed": seed}
        for method in range(methods)
        for place in range(units)
        for seed in range(2)
    ]
    values = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0, None]), min_size=len(rows), max_size=len(rows)))
    judged = judged_or_refused(pd.DataFrame(rows).assign(accuracy=values), unit=unit, by=by)
    if judged is not None:
        assert not (judged.result.above & judged.result.above.T).any()
        assert sum(judged.counts.values()) == len(judged.pairs)
        assert (judged.tiers["from"] <= judged.tiers["to"]).all()


def judged_or_refused(frame, **options):
    """The judgement, which JSON can hold; None where the table was refused, in one line."""
    said = ""
    try:
        judged = benchkit.judge(frame, **options)
    except TableError as error:
        judged, said = None, str(error)
    assert "\n" not in said
    if judged is not None:
        json.loads(judged.write("json"))
    return judged
