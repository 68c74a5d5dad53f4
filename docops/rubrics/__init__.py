"""Rubrics of PPT-Eval (trees of Python scorers): read as data; run only where that is allowed, in a process of their own."""
