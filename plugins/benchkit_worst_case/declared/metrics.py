"""Declarations of metrics."""

from benchkit import Metric

_ROOM = "benchkit_worst_case.metrics.worst_case"

METRICS = [
    Metric(
        name="worst-case-bound",
        compute=f"{_ROOM}:worst_case_bound",
        tasks=("classification", "regression"),
        summary="Most that the error can be (regression: the mean absolute error), as exact-tree-delete proves it",
        formula="mean_i [bound_i <= 0]; regression: mean_i of the bound of max_S |f(x_i without S) - y_i|",
    ),
    Metric(
        name="certified-accuracy",
        range=(0, 1),
        greater_is_better=True,
        compute=f"{_ROOM}:certified_accuracy",
        summary="Share of rows proved to stay right whatever features of the budget go",
        formula="mean_i [bound_i > 0]",
    ),
    Metric(
        name="model-certified-accuracy",
        range=(0, 1),
        greater_is_better=True,
        compute="benchkit_worst_case.metrics.certified_by_model:model_certified_accuracy",
        summary="Share of rows that are right, and proved by the model itself to stay so whatever of the budget goes",
        reference="Hammoudeh & Lowd 2024, Provable robustness against a union of l0 adversarial attacks",
        formula="mean_i [f(x_i) = y_i and no loss within the budget changes f(x_i)]",
    ),
    Metric(
        name="open-rows",
        range=(0, 1),
        compute=f"{_ROOM}:open_rows",
        tasks=("classification", "regression"),
        summary="Share of rows whose worst deletion exact-tree-delete could not prove within its limit",
    ),
    Metric(
        name="rows-within-a-second",
        range=(0, 1),
        greater_is_better=True,
        measures_time=True,
        compute=f"{_ROOM}:rows_within_a_second",
        tasks=("classification", "regression"),
        summary="Share of rows whose worst deletion exact-tree-delete found and proved within a processor second",
    ),
    Metric(
        name="median-row-seconds",
        measures_time=True,
        compute=f"{_ROOM}:median_row_seconds",
        tasks=("classification", "regression"),
        summary="Median processor seconds of exact-tree-delete for one row",
    ),
    Metric(
        name="slowest-row-seconds",
        measures_time=True,
        compute=f"{_ROOM}:slowest_row_seconds",
        tasks=("classification", "regression"),
        summary="Most processor seconds of exact-tree-delete for one row",
    ),
]
