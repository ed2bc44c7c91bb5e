"""What a suite asks of its data and the data does not have: found by looking at what is at hand."""
