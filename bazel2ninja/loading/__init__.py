"""From the files of repositories to packages and targets; knows no flags and no rule kinds."""
