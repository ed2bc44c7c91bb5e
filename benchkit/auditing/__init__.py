"""How robust a fitted model is, and which column hurts: a hold-out in, findings with intervals out."""
