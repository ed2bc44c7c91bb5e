"""``benchkit ui``: the runs of an output folder in the browser, on this machine alone, read and never written."""
