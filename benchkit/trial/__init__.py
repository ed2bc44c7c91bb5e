"""One trial from seed to record: the science, and the only place that knows the protocol."""
