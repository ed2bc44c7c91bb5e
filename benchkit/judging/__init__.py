"""Tables of scores that others made, judged: which methods can be told apart, and which cannot."""
