"""Document formats, one folder each; `docops.registry` holds the table of them."""
