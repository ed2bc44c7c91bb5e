"""Runs in MLflow: curves, figures of whole runs, files."""
