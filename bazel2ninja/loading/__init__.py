"""From a tree of files to repositories, packages and targets; knows no flags and no rule kinds."""
