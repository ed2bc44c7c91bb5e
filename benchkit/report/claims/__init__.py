"""A suite's claims: their forms, and the verdicts on them."""
