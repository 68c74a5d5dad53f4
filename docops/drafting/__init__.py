"""Drafting a bundle from a document before and after: what changed becomes the edit scope, and questions that tell the two apart.

`scope.py` finds the edit scope, `questions.py` and the modules of the formats propose questions, `draft.py` keeps those that hold
for the reference and not for the source, and writes the bundle.
"""
