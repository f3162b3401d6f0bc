"""bazel2ninja: build Bazel projects with ninja, without Bazel."""

__version__ = "0.1.0"
