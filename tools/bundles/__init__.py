"""Scripts that made the documents of the shipped bundles; run with `python -m tools.bundles`."""
