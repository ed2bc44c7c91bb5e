"""Optuna as a tuner; needs the extra optuna."""
