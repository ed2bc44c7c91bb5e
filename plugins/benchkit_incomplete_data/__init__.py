"""Learning from data with values missing at training time (Dick, Haider & Scheffer 2008), and its peers."""
