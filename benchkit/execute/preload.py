"""What worker processes are forked with; imported by their server, which looks for no garbage meanwhile.

Imports make 150,000 objects that stay: Python's looks for garbage among them take an eighth of the time, and the first
one in each worker would touch, and so copy, them all.
"""

import gc

gc.disable()
from benchkit.execute import work  # noqa: E402, F401

gc.freeze()
gc.enable()
