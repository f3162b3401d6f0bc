"""Comparing the graph with what Bazel says it would do."""
