"""Stress runs (`docops.stress`): mutants of a bundle's right outputs are planned, executed and counted."""
