"""Where the stages meet: from a directory and a command line to analysed targets, and from those to a manifest."""
