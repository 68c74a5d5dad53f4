"""Whole benchmarks: outputs of agents on many bundles, verified, counted and compared."""
