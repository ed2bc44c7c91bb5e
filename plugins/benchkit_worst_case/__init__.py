"""Exact worst cases of models that are sums: trees and additive models."""
