"""What is done with runs of the past: repeat, verify, merge, clean, send to trackers."""
