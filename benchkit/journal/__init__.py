"""The journal: records of trials, manifests of runs, kept models. The source of truth."""
