"""Python packages from an index: declared, and an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unavailable_repository", "unsupported_rule")

_REASON = "nothing is downloaded; provide the repository with --override_repository"

def pip_parse(name, **kwargs):
    """Declares @NAME, which is an error when needed."""
    unavailable_repository(name = name, kind = "pip_parse() of rules_python", reason = _REASON)

def pip_install(name = "pip", **kwargs):
    """Declares @NAME, which is an error when needed."""
    unavailable_repository(name = name, kind = "pip_install() of rules_python", reason = _REASON)

def pip_repositories():
    """Nothing needs to be declared."""

def package_annotation(**kwargs):
    """What is to be added to a package."""
    return json.encode(kwargs)

compile_pip_requirements = unsupported_rule("compile_pip_requirements of rules_python", _REASON)
