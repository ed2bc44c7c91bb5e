"""What is done with runs of the past: repeat, recheck, merge, clean, draw."""
