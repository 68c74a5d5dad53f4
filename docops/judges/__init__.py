"""Judges: models that are asked closed questions, with every answer recorded so that verdicts can be replayed."""
