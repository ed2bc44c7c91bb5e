"""Single imputations: what infinite imputations start from."""
