"""Looking at a suite's data before anything runs, to tell all of its mistakes at once."""
