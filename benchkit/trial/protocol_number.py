"""The number of the protocol: raised by a person whenever what a trial gives changes, and by nothing else.

A row is reused, and published rows stand beside a run's own, only where the number is the same. The test of golden
records (``tests/trial/test_golden_records.py``) fails when an outcome changed and the number did not.

======  ===========================================================
number  what changed
======  ===========================================================
1       the protocol of version 0.2.0
======  ===========================================================
"""

PROTOCOL = 1

# What the protocol itself computes with: splits, preprocessing, feature values, draws.
COMPUTES_WITH = ("numpy", "scipy", "sklearn")
