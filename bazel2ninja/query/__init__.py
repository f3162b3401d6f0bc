"""Asking about targets before any configuration: the language of `bazel query`.

https://bazel.build/query/language
"""
