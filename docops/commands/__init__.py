"""The commands of the command line, a module each with `configure(parser)` and `run(arguments) -> exit code`."""
