"""Other benchmarks: their tasks written and read, and verdicts in the form that each calls for.

Each module imports the package that it adapts to when it is called, so that all of them can be imported without any.
"""
