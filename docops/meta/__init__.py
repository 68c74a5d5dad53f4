"""Evaluating evaluators: how far the scores of one follow those of an expert."""
