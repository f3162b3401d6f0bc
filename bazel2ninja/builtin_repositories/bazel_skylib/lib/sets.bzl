"""sets: the name under which older files load new_sets.bzl."""

load(":new_sets.bzl", _sets = "sets")

sets = _sets
