"""What samples say: means, intervals, tests, ranks. Pure functions of numbers, without records or files."""
