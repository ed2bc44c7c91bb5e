"""Figures of a run, for papers: SVG and PNG, safe for the colour-blind, readable in print."""
