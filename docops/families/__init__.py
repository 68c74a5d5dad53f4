"""Predicates for any format, over text spans and facts."""
