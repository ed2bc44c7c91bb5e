"""``benchkit judge`` and `benchkit.judge`: which methods of anybody's table of scores can be told apart."""
