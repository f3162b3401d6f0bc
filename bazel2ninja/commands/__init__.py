"""The subcommands: each module offers `add_arguments(parser)` and `run(arguments) -> exit status`."""
