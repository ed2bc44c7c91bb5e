"""A suite's claims: their forms, and the verdicts on them."""

CLAIMS_NOTE = (
    "Claims are judged on these rows, over random splits (or fresh data), by 95 % intervals: supported where the "
    "intervals of all points lie within what is claimed, contradicted where one lies outside (after Holm's correction "
    "over the points), else undecided."
)
